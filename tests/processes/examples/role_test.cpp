#include <boost/test/unit_test.hpp>

#include <csignal>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::string here() { return R"("127.0.0.1:)" + std::to_string(free_port()) + R"(")"; }

/// The example with TF_CONFIG of that task.
std::unique_ptr<Process> start_role(
    const std::string& cluster, const std::string& job, const std::string& index) {
  auto task = R"({"type": ")" + job + R"(", "index": )" + index + "}";
  return std::make_unique<Process>(Process::Options{
      .program = program("example_role"),
      .arguments = {},
      .environment = {{"TF_CONFIG", R"({"cluster": )" + cluster + R"(, "task": )" + task + "}"}}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(role)

BOOST_AUTO_TEST_CASE(one_program_acts_on_each_machine_by_its_role) {
  auto cluster = R"({"ps": [)" + here() + R"(], "chief": [)" + here() + R"(], "worker": [)" +
                 here() + ", " + here() + "]}";
  std::map<std::string, std::unique_ptr<Process>> tasks;
  tasks["worker 0"] = start_role(cluster, "worker", "0");
  tasks["worker 1"] = start_role(cluster, "worker", "1");
  tasks["ps"] = start_role(cluster, "ps", "0");
  tasks["chief"] = start_role(cluster, "chief", "0");
  for (auto& [name, task] : tasks) {
    auto ended = task->wait();
    BOOST_TEST_REQUIRE(ended.has_value(), name << " still runs");
    BOOST_TEST(*ended == 0, name << ": " << task->errors());
  }
  check_says(tasks["chief"]->errors(), "/job:chief/task:0: 3 of 3 workers have finished");
  check_says(tasks["chief"]->errors(), "all workers have finished: stops the other tasks");
  check_says(tasks["worker 1"]->errors(), "has finished; waits for the other workers");
}

BOOST_AUTO_TEST_CASE(a_chief_that_is_alone_trains_and_a_second_one_says_what_it_goes_on_from) {
  TemporaryFolder folder;
  auto alone = [&] {
    return std::make_unique<Process>(Process::Options{
        .program = program("example_role"), .arguments = {folder.path()}, .environment = {}});
  };
  auto first = alone();
  BOOST_TEST(first->wait().value_or(-1) == 0, first->errors());
  check_says(first->errors(), "initialized 'finished_workers', 'global_step', 'weight'");
  auto second = alone();
  BOOST_TEST(second->wait().value_or(-1) == 0, second->errors());
  check_says(second->errors(), "restored 'finished_workers', 'global_step', 'weight' from");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_told_to_stop_ends_in_order) {
  auto address = "127.0.0.1:" + std::to_string(free_port());
  auto cluster = R"({"ps": [")" + address + R"("], "chief": [)" + here() + "]}";
  auto ps = start_role(cluster, "ps", "0");
  BOOST_REQUIRE(Client::connect(address, {.timeout = test_timeout}).ok());
  ps->send(SIGTERM);
  BOOST_TEST(ps->wait().value_or(-1) == 0, ps->errors());
  check_says(ps->errors(), "/job:ps/task:0: was told to stop");
}

BOOST_AUTO_TEST_CASE(a_config_without_a_role_is_reported_by_its_key) {
  auto evaluator = start_role(R"({"evaluator": ["a:1"], "chief": ["b:1"]})", "chief", "0");
  BOOST_TEST(evaluator->wait().value_or(-1) == 1);
  check_says(evaluator->errors(), "TF_CONFIG cluster has the job 'evaluator'");
}

BOOST_AUTO_TEST_SUITE_END()
