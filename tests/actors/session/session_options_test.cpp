#include "troupe/graph/session_options.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/local/local_cluster.hpp"

using namespace troupe;

namespace session_options {
namespace {

struct SessionOptionsFixture {
  LocalCluster cluster{{{"ps", 1}, {"worker", 2}}};

  std::unique_ptr<Session> open(const SessionOptions& options, int worker = 0) {
    auto session = cluster.session("worker", worker, options);
    BOOST_REQUIRE_MESSAGE(session.ok(), session.status().to_string());
    return *std::move(session);
  }
};

/// A counter whose variable is pinned to a device, or unpinned if that is empty.
struct Counter {
  Builder b;
  Variable variable;
  Value bump;

  explicit Counter(const std::string& device, const std::string& name = "count")
      : variable(b.on(device).variable(name, b.constant(0.0f))),
        bump(variable.assign_add(b.constant(1.0f))) {}

  Status initialize(Session& session) {
    if (auto status = session.extend(b); !status.ok()) return status;
    return session.run({}, {}, {variable.initializer}).status();
  }
};

}  // namespace
}  // namespace session_options

BOOST_FIXTURE_TEST_SUITE(session_options, session_options::SessionOptionsFixture)

BOOST_AUTO_TEST_CASE(the_state_of_an_isolated_session_is_private_and_ends_with_it) {
  for (const std::string device : {"", "/job:ps/task:0"}) {
    Counter counter(device, device.empty() ? "count" : "pinned_count");
    auto read = counter.variable.value();
    auto shared = open({});
    BOOST_TEST(counter.initialize(*shared).ok());
    {
      auto isolated = open({.isolate_state = true}), other = open({.isolate_state = true}, 1);
      BOOST_TEST(counter.initialize(*isolated).ok());
      BOOST_TEST(isolated->run({}, {}, {counter.bump}).ok());
      BOOST_TEST(isolated->run({}, {read})->at(0).value<float>() == 1);
      BOOST_TEST(shared->run({}, {read})->at(0).value<float>() == 0);
      BOOST_TEST(other->extend(counter.b).ok());
      BOOST_TEST((other->run({}, {read}).status().code() == Code::failed_precondition));
    }
    auto later = open({.isolate_state = true});
    BOOST_TEST(later->extend(counter.b).ok());
    BOOST_TEST((later->run({}, {read}).status().code() == Code::failed_precondition));
    BOOST_TEST(shared->run({}, {read})->at(0).value<float>() == 0);
    BOOST_TEST(shared->close().ok());
  }
}

BOOST_AUTO_TEST_CASE(a_session_uses_only_devices_that_match_its_filters) {
  auto session = open({.device_filters = {"/job:ps"}});
  Builder b;
  auto seen = b.on("/job:ps/task:0").constant(1.0f);
  auto own = b.on("/job:worker/task:0").constant(2.0f);
  auto hidden = b.on("/job:worker/task:1").named("hidden").constant(3.0f);
  BOOST_TEST(session->extend(b).ok());
  BOOST_TEST(session->run({}, {seen, own}).ok());
  auto status = session->run({}, {hidden}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "hidden");
}

BOOST_AUTO_TEST_CASE(an_invalid_device_filter_is_refused_when_the_session_is_created) {
  auto status = cluster.session("worker", 0, {.device_filters = {"worker:1"}}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("worker:1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(local_clusters_forget) {
  Counter counter("");
  auto first = open({});
  BOOST_TEST(counter.initialize(*first).ok());
  LocalCluster another({{"worker", 1}});
  auto session = *another.session("worker");
  BOOST_TEST(session->extend(counter.b).ok());
  auto unset = session->run({}, {}, {counter.bump}).status();
  BOOST_TEST((unset.code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_SUITE_END()
