#include "troupe/graph/train/session_manager.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/train/fake_host.hpp"
#include "troupe/tests/graph/train/fake_session.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

struct SessionManagerFixture {
  FakeHost host;
  FakeCluster cluster;
  Builder b;
  train::RetryOptions retry{.first_delay = 10ms, .delay_max = 1s, .give_up_after = 10s};
  train::Host::Time connection_takes{0};
  train::Scaffold::Start start = train::Scaffold::Start::adopt;

  train::SessionManager manager(int variable_count) {
    for (int i = 0; i < variable_count; ++i) b.variable("v" + std::to_string(i), b.constant(1.0f));
    train::Scaffold scaffold(b);
    scaffold.local_init = {"local"};
    scaffold.start = start;
    auto open = [this] {
      host.time += connection_takes;
      return FakeSession::open(cluster);
    };
    return {open, scaffold, host, retry};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(session_manager, SessionManagerFixture)

BOOST_AUTO_TEST_CASE(the_chief_initializes_only_what_has_no_value) {
  cluster.initialized = {"v1"};
  auto session = manager(3).prepare_session();
  BOOST_TEST(session.ok());
  BOOST_TEST(cluster.log == (Lines{"open", "run local", "run v0/assign", "run v2/assign"}));
  BOOST_TEST(host.messages == (Lines{"initialized 'v0', 'v2'"}));
}

BOOST_AUTO_TEST_CASE(a_chief_that_finds_values_when_it_starts_tells_it_once) {
  cluster.initialized = {"v0", "v1"};
  auto chief = manager(2);
  BOOST_TEST(chief.prepare_session().ok());
  BOOST_TEST(chief.prepare_session().ok());
  BOOST_REQUIRE(host.messages.size() == 1u);
  BOOST_TEST(host.messages[0].starts_with("goes on with the values that all variables have"));
}

BOOST_AUTO_TEST_CASE(a_chief_that_starts_anew_initializes_what_has_values_but_only_once) {
  cluster.initialized = {"v0"};
  start = train::Scaffold::Start::anew;
  auto chief = manager(2);
  BOOST_TEST(chief.prepare_session().ok());
  BOOST_TEST(chief.prepare_session().ok());
  BOOST_TEST(
      cluster.log ==
      (Lines{"open", "run local", "run v0/assign", "run v1/assign", "open", "run local"}));
}

BOOST_AUTO_TEST_CASE(the_chief_tries_again_while_nodes_are_away) {
  cluster.refusals = {unavailable("refused"), aborted("restarted")};
  BOOST_TEST(manager(1).prepare_session().ok());
  BOOST_TEST(host.waits.size() == 2U);
  cluster.refusals = {invalid_argument("no such host")};
  BOOST_TEST(manager(0).prepare_session().status().to_string() == "InvalidArgument: no such host");
}

BOOST_AUTO_TEST_CASE(the_others_wait_and_tell_for_what) {
  cluster.initialized = {"v6"};
  auto waited = manager(8).wait_for_session().status();
  BOOST_TEST(
      waited.to_string() ==
      "DeadlineExceeded: gave up after 10.0 s: these variables have no value yet: 'v0', 'v1', "
      "'v2', 'v3', 'v4' and 2 more");
  BOOST_TEST((host.time == 10s));
  BOOST_TEST(host.messages.size() > 5U);
}

BOOST_AUTO_TEST_CASE(the_time_of_all_attempts_counts_and_none_takes_more_than_is_left) {
  connection_takes = 4s;
  auto waited = manager(1).wait_for_session().status();
  BOOST_TEST((waited.code() == Code::deadline_exceeded), waited.to_string());
  BOOST_TEST((host.time < 15s));
  using Times = std::vector<std::chrono::milliseconds>;
  BOOST_TEST((cluster.timeouts == Times{6s, 1990ms, train::Backoff::attempt_min}));
}

BOOST_AUTO_TEST_CASE(local_variables_are_initialized_in_each_session_of_each_worker) {
  cluster.initialized = {"v0"};
  auto others = manager(1);
  BOOST_TEST(others.wait_for_session().ok());
  BOOST_TEST(others.wait_for_session().ok());
  BOOST_TEST(cluster.log == (Lines{"open", "run local", "open", "run local"}));
}

BOOST_AUTO_TEST_SUITE_END()
