#include "troupe/graph/session_options.hpp"

#include <algorithm>
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

BOOST_AUTO_TEST_CASE(a_placement_that_does_not_exist_is_refused) {
  auto refused = cluster.session("worker", 0, {.placement = "luck"});
  BOOST_TEST((
      refused.status() == invalid_argument("there is no placement 'luck': it is 'cost' or empty")));
}

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

BOOST_AUTO_TEST_CASE(a_session_can_have_element_wise_nodes_run_one_by_one) {
  Builder b;
  auto x = b.placeholder(DType::float32, {Shape::unknown});
  auto y = b.named("outer").neg(b.named("inner").neg(x));
  Feed feed{x, Tensor::of<float>({2}, {1, -2})};
  for (bool fuses : {true, false}) {
    auto session = open({.fuses_elementwise = fuses});
    BOOST_REQUIRE(session->extend(b).ok());
    auto step =
        session->trace({feed}, {y}, {}, {.trace = Trace::full, .output_partition_graphs = true});
    BOOST_REQUIRE(step.ok());
    BOOST_TEST(step->values[0].to_string() == "float32[2] [1 -2]");
    const auto& device = step->metadata.devices.at(0);
    auto inner = std::ranges::find(device.nodes, "inner", &NodeRun::node);
    auto outer = std::ranges::find(device.nodes, "outer", &NodeRun::node);
    BOOST_REQUIRE((inner != device.nodes.end() && outer != device.nodes.end()));
    BOOST_TEST((inner->end == outer->end) == fuses);
    BOOST_TEST((inner->op == "Neg" && outer->op == "Neg"));
    // The graph is that of the program in both cases.
    auto def = std::ranges::find(device.graph, "outer", &NodeDef::name);
    BOOST_REQUIRE(def != device.graph.end());
    BOOST_TEST((def->op == "Neg" && def->inputs == std::vector<std::string>{"inner:0"}));
  }
}

BOOST_AUTO_TEST_CASE(an_error_of_a_fused_node_is_at_the_node_of_the_program) {
  Builder b;
  auto x = b.placeholder(DType::float32), y = b.placeholder(DType::float32);
  auto sum = b.named("sum").add(x, y);
  auto result = b.named("result").exp(sum);
  auto session = open({});
  BOOST_REQUIRE(session->extend(b).ok());
  auto status =
      session
          ->run(
              {{x, Tensor::of<float>({2}, {1, 2})}, {y, Tensor::of<float>({3}, {1, 2, 3})}},
              {result})
          .status();
  BOOST_TEST(
      status.to_string() ==
      "InvalidArgument: shapes [2] and [3] cannot be broadcast together [node 'sum' (AddV2) on "
      "/job:worker/task:0/device:CPU:0]");
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
