#include <csignal>
#include <cstdlib>
#include <thread>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/training_cluster.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using std::chrono::milliseconds;
using Clock = Trainer::Clock;

constexpr milliseconds step_timeout = 300ms;

double setting(const char* name, double otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atof(value) : otherwise;
}
const int rounds = static_cast<int>(setting("TROUPE_FAILURE_ROUNDS", 3));
const std::chrono::duration<double> freeze_time(setting("TROUPE_FREEZE_S", 1.5));

struct FailuresFixture {
  TrainingCluster cluster;
  LatencyTable table;

  explicit FailuresFixture(milliseconds heartbeat_limit)
      : cluster(
            {.flags =
                 {"--heartbeat", std::to_string(heartbeat_limit.count() / 1e3), "--connect-timeout",
                  "1"},
             .heartbeat_limit = heartbeat_limit,
             .step_timeout = step_timeout}) {}
  ~FailuresFixture() { BOOST_TEST_MESSAGE("\n" << table.to_string()); }

  /// Each client that uses the task fails with its name; the others continue. How long it took is
  /// printed, and not compared: that depends on what else the machine does.
  void check_detected(
      const std::string& what, const std::string& task, Clock::time_point signalled) {
    for (auto& trainer : cluster.trainers()) {
      if (!trainer->uses(task) || trainer->options().step_timeout.count() > 0) continue;
      auto failure = trainer->await_failure(signalled);
      BOOST_TEST_REQUIRE(failure.has_value(), what << " of " << task << " was not noticed");
      auto took = failure->end - signalled;
      bool ran = failure->begin <= signalled;  // else the step first tried to connect to the task
      table.add(what + " " + role_of(task, *trainer) + (ran ? "" : ", step begun later"), took);
    }
    cluster.check_trains(20, [&](const Trainer& trainer) { return !trainer.uses(task); });
  }

  static std::string role_of(const std::string& task, const Trainer& trainer) {
    if (task == "/job:ps/task:0") return "ps";
    return trainer.options().master == task ? "master" : "worker";
  }

  /// Whether a step that uses a task may have this error while the task is away, or has lost its
  /// state.
  static bool is_expected(const Status& status, const std::string& task, const Trainer& trainer) {
    switch (status.code()) {
      case Code::unavailable: return status.where().task == task;
      case Code::deadline_exceeded: return trainer.options().step_timeout.count() > 0;
      case Code::aborted: return true;
      case Code::failed_precondition: return task == "/job:ps/task:0";
      default: return false;
    }
  }

  void check_failures(const std::string& task) {
    for (auto& trainer : cluster.trainers())
      for (const auto& failure : trainer->take_failures()) {
        auto timeout = trainer->options().step_timeout;
        BOOST_TEST(
            (trainer->uses(task) && is_expected(failure.status, task, *trainer)),
            trainer->options().master << " with " << trainer->options().compute << " failed while "
                                      << task << " was away: " << failure.status.to_string());
        if (timeout.count() == 0) continue;
        auto late = failure.end - failure.begin - timeout;
        BOOST_TEST((late < test_timeout));
        if (late.count() > 0) table.add("beyond the step's timeout", late);
      }
  }

  void kill_rounds(const std::string& job) {
    for (int round = 0; round < rounds; ++round) {
      auto task = task_name(job, 0);
      auto signalled = cluster.send_at_random(job, 0, SIGKILL);
      check_detected("kill", task, signalled);
      cluster.nodes().node(job, 0).wait();
      cluster.nodes().restart(job, 0);
      cluster.check_trains();
      check_failures(task);
    }
  }

  void freeze_rounds(const std::string& job) {
    for (int round = 0; round < rounds; ++round) {
      auto task = task_name(job, 0);
      auto signalled = cluster.send_at_random(job, 0, SIGSTOP);
      check_detected("freeze", task, signalled);
      std::this_thread::sleep_until(signalled + freeze_time);
      cluster.nodes().node(job, 0).send(SIGCONT);
      cluster.check_trains();
      check_failures(task);
    }
  }

  uint64_t sessions() {
    uint64_t count = 0;
    for (int worker : {0, 1})
      count += connect(cluster.nodes().target("worker", worker))->node_info()->sessions;
    return count;
  }
};

/// Heartbeats would miss a task later than the tests wait for: only the end of its connections can
/// tell that it was killed.
struct KillsFixture : FailuresFixture {
  KillsFixture() : FailuresFixture(4 * test_timeout) {}
};

/// The connections of a frozen task stay: only heartbeats can tell.
struct FreezesFixture : FailuresFixture {
  FreezesFixture() : FailuresFixture(500ms) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(failures)

BOOST_FIXTURE_TEST_SUITE(kills, KillsFixture)

BOOST_AUTO_TEST_CASE(a_killed_worker_is_named_and_may_come_back) { kill_rounds("worker"); }

BOOST_AUTO_TEST_CASE(a_killed_parameter_server_is_named_and_may_come_back) { kill_rounds("ps"); }

BOOST_AUTO_TEST_CASE(sessions_of_a_killed_client_close_and_the_others_train_on) {
  auto others = sessions();
  for (int round = 0; round < rounds; ++round) {
    auto target = cluster.nodes().target("worker", 0);
    auto digits = start_digits({"--target", target, "--epochs", "100000"});
    await_epoch(*digits);
    BOOST_TEST(sessions() == others + 2);
    digits->send(SIGKILL);
    auto signalled = Clock::now();
    while (sessions() > others) BOOST_TEST_REQUIRE((Clock::now() - signalled < test_timeout));
    table.add("kill client, sessions closed", Clock::now() - signalled);
    cluster.check_trains();
    check_failures("");
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(freezes, FreezesFixture)

BOOST_AUTO_TEST_CASE(a_frozen_worker_is_named_and_works_on_when_it_thaws) {
  freeze_rounds("worker");
}

BOOST_AUTO_TEST_CASE(a_frozen_parameter_server_is_named_and_works_on_when_it_thaws) {
  freeze_rounds("ps");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
