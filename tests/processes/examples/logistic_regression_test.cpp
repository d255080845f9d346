#include <boost/test/unit_test.hpp>
#include <csignal>
#include <map>

#include "troupe/graph/build/optimizers/global_step.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

// What apps/examples/simulated_regression.cpp tests on simulated clusters, with real processes.

namespace {

const std::string steps = "3000";

/// The example's tasks: a parameter server and two workers, which save to a folder.
struct Regression {
  Regression() {
    for (const auto* name : {"ps", "worker 0", "worker 1"})
      addresses[name] = "127.0.0.1:" + std::to_string(free_port());
    for (const auto& [name, address] : addresses) start(name);
  }

  void start(const std::string& name) {
    auto quoted = [this](const std::string& task) { return "\"" + addresses[task] + "\""; };
    auto cluster = R"({"ps": [)" + quoted("ps") + R"(], "worker": [)" + quoted("worker 0") + ", " +
                   quoted("worker 1") + "]}";
    auto space = name.find(' ');
    auto index = space == std::string::npos ? "0" : name.substr(space + 1);
    auto task = R"({"type": ")" + name.substr(0, space) + R"(", "index": )" + index + "}";
    tasks[name] = std::make_unique<Process>(Process::Options{
        .program = program("example_logistic_regression"),
        .arguments = {folder.path(), steps},
        .environment = {
            {"TF_CONFIG", R"({"cluster": )" + cluster + R"(, "task": )" + task + "}"}}});
  }

  void kill_and_start_again(const std::string& name) {
    tasks[name]->send(SIGKILL);
    BOOST_TEST_REQUIRE(tasks[name]->wait().value_or(-1) == 128 + SIGKILL);
    start(name);
  }

  /// Trains on until so many steps are done.
  void await_step(int64_t step) {
    auto client = connect(addresses["worker 0"], {.timeout = test_timeout});
    auto session = open(*client);
    Builder b;
    Value global_step = get_or_create_global_step(b.on("/job:ps/task:0"));
    BOOST_TEST_REQUIRE(session->extend(b).ok());
    auto deadline = std::chrono::steady_clock::now() + test_timeout;
    Status last;
    for (int64_t now = 0; now < step;) {
      auto is_late = std::chrono::steady_clock::now() >= deadline;
      BOOST_TEST_REQUIRE(!is_late, "at step " << now << ": " << last.to_string());
      // Fails until the chief has initialized or restored it.
      auto read = session->run({}, {global_step});
      last = read.status();
      if (read) now = read->at(0).value<int64_t>();
    }
  }

  TemporaryFolder folder;
  std::map<std::string, std::string> addresses;
  std::map<std::string, std::unique_ptr<Process>> tasks;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(logistic_regression)

BOOST_AUTO_TEST_CASE(it_learns_although_a_worker_and_the_parameter_server_are_killed) {
  Regression regression;
  regression.await_step(200);
  regression.kill_and_start_again("worker 1");
  regression.await_step(400);
  regression.kill_and_start_again("ps");
  for (auto& [name, task] : regression.tasks) {
    auto ended = task->wait();
    BOOST_TEST_REQUIRE(ended.has_value(), name << " still runs: " << task->errors());
    BOOST_TEST(*ended == 0, name << ": " << task->errors());
  }
  auto& chief = *regression.tasks["worker 0"];
  check_says(chief.errors(), "restored 'bias', 'finished_workers', 'global_step', 'weights' from");
  auto said = chief.output();
  BOOST_TEST_REQUIRE(said.starts_with("loss "), said);
  BOOST_TEST(std::stof(said.substr(5)) < 0.3f);
}

BOOST_AUTO_TEST_SUITE_END()
