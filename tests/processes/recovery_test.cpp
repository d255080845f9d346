#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Clock = std::chrono::steady_clock;

// With TROUPE_RECOVERY_MINUTES a process is killed once a minute; otherwise as soon as the training
// has recovered from the one before.
const char* const minutes = std::getenv("TROUPE_RECOVERY_MINUTES");
const std::chrono::minutes long_run{minutes ? std::atoi(minutes) : 0};

/// The example, training on three nodes with frequent checkpoints.
struct RecoveryFixture {
  TemporaryFolder folder;
  NodeCluster cluster{{{"ps", 1}, {"worker", 2}}};
  std::unique_ptr<Process> digits = start("100000");

  std::vector<std::string> flags(const std::string& epochs) {
    auto workers = cluster.target("worker", 0) + "," + cluster.target("worker", 1);
    return {"--target",     workers, "--checkpoint-dir", folder / "checkpoints",
            "--save-steps", "50",    "--give-up-after",  "60",
            "--epochs",     epochs};
  }
  std::unique_ptr<Process> start(const std::string& epochs) { return start_digits(flags(epochs)); }

  void check_trains() {
    auto end = Clock::now() + (long_run.count() > 0 ? std::chrono::minutes(1) : Clock::duration(0));
    do await_epoch(*digits);
    while (Clock::now() < end);
    await_epoch(*digits);
  }
  void kill_node(const std::string& job, int task) {
    cluster.node(job, task).send(SIGKILL);
    cluster.node(job, task).wait();
    cluster.restart(job, task);
    check_trains();
  }
  void kill_client() {
    digits->send(SIGKILL);
    digits->wait();
    digits = start("100000");
    check_trains();
  }
  void kill_each() {
    kill_node("ps", 0);
    kill_node("worker", 0);  // the chief's master
    kill_node("worker", 1);
    kill_client();
  }

  /// The accuracy with the variables that the cluster has now.
  double accuracy() {
    digits->send(SIGINT);
    digits->wait();
    auto arguments = flags("30");
    arguments.push_back("--json");
    auto last = start_digits(arguments);
    auto exit_code = last->wait(4 * test_timeout);
    BOOST_TEST_REQUIRE(exit_code.value_or(-1) == 0, last->errors());
    return nlohmann::json::parse(last->output())["accuracy"].get<double>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(recovery, RecoveryFixture)

BOOST_AUTO_TEST_CASE(training_goes_on_although_each_process_in_turn_is_killed) {
  check_trains();
  auto end = Clock::now() + long_run;
  do kill_each();
  while (Clock::now() < end);
  BOOST_TEST(accuracy() >= 0.96);
}

BOOST_AUTO_TEST_CASE(a_cluster_that_died_as_a_whole_goes_on_from_the_checkpoint) {
  for (int epoch = 0; epoch < 10; ++epoch) await_epoch(*digits);
  digits->send(SIGKILL);
  digits->wait();
  for (auto [job, task] : {std::pair("ps", 0), std::pair("worker", 0), std::pair("worker", 1)}) {
    cluster.node(job, task).send(SIGKILL);
    cluster.node(job, task).wait();
    cluster.restart(job, task);
  }
  digits = start("100000");
  auto first = digits->read_line();
  while (first && !first->starts_with("epoch")) first = digits->read_line();
  BOOST_TEST_REQUIRE(first.has_value(), digits->errors());
  BOOST_TEST(std::atoi(first->c_str() + std::string("epoch").size()) > 5, *first);
  digits->send(SIGINT);
  digits->wait();
  check_says(digits->errors(), "restored ");
}

BOOST_AUTO_TEST_CASE(a_task_that_stays_away_is_given_up_by_name) {
  digits->send(SIGKILL);
  digits->wait();
  auto limited = flags("100000");
  *(std::ranges::find(limited, "60")) = "2";
  digits = start_digits(limited);
  await_epoch(*digits);
  cluster.node("ps", 0).send(SIGKILL);
  auto exit_code = digits->wait();
  BOOST_TEST_REQUIRE(exit_code.has_value(), "digits still runs");
  BOOST_TEST(*exit_code == 1);
  check_says(digits->errors(), "digits: DeadlineExceeded: gave up after 2.0 s");
  check_says(digits->errors(), "/job:ps/task:0");
}

BOOST_AUTO_TEST_SUITE_END()
