#include <csignal>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

const std::string absent = "/job:worker/task:1";

/// A cluster with a worker that the others have used, and that is then killed or frozen.
struct AbsentTasksFixture {
  NodeCluster nodes{{{"ps", 1}, {"worker", 2}}, {"--heartbeat", "0.5", "--connect-timeout", "0.5"}};
  std::unique_ptr<Client> client = connect(nodes.target("worker", 0));
  Builder b;
  Value here =
      b.on("/job:ps/task:0").add(b.on("/job:worker/task:0").constant(1.0f), b.constant(1.0f));
  Value there = b.on(absent).add(here, b.constant(1.0f));

  AbsentTasksFixture() {
    auto status = status_of(there, 0ms);
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  }

  void remove(int signal) {
    nodes.node("worker", 1).send(signal);
    if (signal == SIGKILL) nodes.node("worker", 1).wait();
  }
  /// The status of a step of a new session.
  Status status_of(const Value& fetch, milliseconds timeout) {
    auto session = open(*client);
    BOOST_REQUIRE(session->extend(b).ok());
    return session->run({}, {fetch}, {}, {.timeout = timeout}).status();
  }

  /// `late_code`: the code of a step whose timeout is shorter than a connection may take.
  void check_sessions(Code late_code) {
    auto start = Clock::now();
    auto apart = status_of(here, 0ms);
    BOOST_TEST(apart.ok(), apart.to_string());
    BOOST_TEST((Clock::now() - start < 1s));  // it takes some milliseconds

    start = Clock::now();
    auto refused = status_of(there, 5s);
    BOOST_TEST((refused.code() == Code::unavailable), refused.to_string());
    BOOST_TEST(refused.where().task == absent);
    BOOST_TEST((Clock::now() - start < 5s));

    start = Clock::now();
    auto late = status_of(there, 200ms);
    BOOST_TEST((late.code() == late_code), late.to_string());
    BOOST_TEST((Clock::now() - start < 200ms + 1s));
  }

  void check_reset() {
    auto start = Clock::now();
    auto status = client->reset({""}, 700ms);
    BOOST_TEST((status.code() == Code::unavailable), status.to_string());
    check_says(status.message(), absent);
    BOOST_TEST((Clock::now() - start < 700ms + 1s));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(absent_tasks, AbsentTasksFixture)

BOOST_AUTO_TEST_CASE(a_new_session_works_at_once_unless_it_uses_a_dead_task) {
  remove(SIGKILL);
  check_sessions(Code::unavailable);  // nothing listens at its address
}

BOOST_AUTO_TEST_CASE(a_new_session_works_at_once_unless_it_uses_a_frozen_task) {
  remove(SIGSTOP);
  check_sessions(Code::deadline_exceeded);
  nodes.node("worker", 1).send(SIGCONT);
  auto status = status_of(there, 0ms);
  BOOST_TEST(status.ok(), status.to_string());
}

BOOST_AUTO_TEST_CASE(a_reset_ends_in_its_time_and_names_a_dead_task) {
  remove(SIGKILL);
  check_reset();
}

BOOST_AUTO_TEST_CASE(a_reset_ends_in_its_time_and_names_a_frozen_task) {
  remove(SIGSTOP);
  check_reset();
}

BOOST_AUTO_TEST_SUITE_END()
