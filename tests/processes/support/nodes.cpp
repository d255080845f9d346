#include "troupe/tests/processes/support/nodes.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>

#include "troupe/graph/support/check.hpp"

namespace troupe::testing {
namespace {

bool is_free(int port) {
  int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(probe >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return bound;
}

}  // namespace

std::string program(const std::string& name) { return TROUPE_PROGRAMS "/" + name; }

int free_port() {
  // Below the range from which the system takes the ports of outgoing connections. In order, from
  // a random one on: the next call does not return a port that no server is bound to yet.
  constexpr int first = 20'000, count = 12'000;
  static std::atomic<int> next = static_cast<int>(std::random_device{}() % count);
  for (;;)
    if (int port = first + next++ % count; is_free(port)) return port;
}

std::unique_ptr<Process> start_node(std::vector<std::string> flags, const std::string& tf_config) {
  return std::make_unique<Process>(Process::Options{
      .program = program("troupe-node"),
      .arguments = std::move(flags),
      .environment = {{"TF_CONFIG", tf_config}}});
}

std::string await_target(Process& node) {
  auto line = node.read_line();
  if (!line) node.wait(std::chrono::seconds(1));
  BOOST_TEST_REQUIRE(line.has_value(), "no ready line; " << node.errors());
  BOOST_TEST_REQUIRE(line->starts_with("ready "), "not a ready line: " << *line);
  return line->substr(6);
}

std::unique_ptr<Process> start_digits(std::vector<std::string> flags) {
  return std::make_unique<Process>(
      Process::Options{.program = program("digits"), .arguments = std::move(flags)});
}

void await_epoch(Process& digits) {
  while (auto line = digits.read_line())
    if (line->starts_with("epoch")) return;
  BOOST_FAIL("no epoch ended: " << digits.errors());
}

NodeCluster::NodeCluster(
    const std::map<std::string, int>& jobs, const std::vector<std::string>& flags)
    : flags_(flags) {
  for (const auto& [job, count] : jobs) {
    spec_ += (spec_.empty() ? "" : ";") + job + "=";
    for (int task = 0; task < count; ++task)
      spec_ += (task ? "," : "") + ("127.0.0.1:" + std::to_string(free_port()));
  }
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task) tasks_[job].push_back({start(job, task), ""});
  for (auto& [job, tasks] : tasks_)
    for (auto& task : tasks) task.target = await_target(*task.process);
}

void NodeCluster::restart(const std::string& job, int task) {
  auto& restarted = task_at(job, task);
  restarted.process = start(job, task);
  restarted.target = await_target(*restarted.process);
}

NodeCluster::Task& NodeCluster::task_at(const std::string& job, int task) {
  return tasks_.at(job).at(static_cast<size_t>(task));
}

std::unique_ptr<Process> NodeCluster::start(const std::string& job, int task) const {
  std::vector<std::string> flags = {"--cluster", spec_,    "--job",
                                    job,         "--task", std::to_string(task)};
  flags.insert(flags.end(), flags_.begin(), flags_.end());
  return start_node(std::move(flags));
}

}  // namespace troupe::testing
