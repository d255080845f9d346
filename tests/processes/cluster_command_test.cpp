#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <set>

#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe::testing;

namespace {

Process::Options run_cluster(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--build", program("..")});
  return {.program = TROUPE_TOOLS "/cluster", .arguments = std::move(arguments)};
}

/// The pids in the lines that it prints for three nodes.
std::set<pid_t> await_nodes(Process& command) {
  std::set<pid_t> pids;
  for (int i = 0; i < 3; ++i) {
    auto line = command.read_line();
    BOOST_TEST_REQUIRE(line.has_value(), "no line for a node; " << command.errors());
    pids.insert(std::stoi(line->substr(line->find("pid ") + 4)));
  }
  return pids;
}

bool is_gone(pid_t pid) { return kill(pid, 0) == -1 && errno == ESRCH; }

void check_ends_all_on(int signal, std::vector<std::string> arguments) {
  Process command(run_cluster(std::move(arguments)));
  auto pids = await_nodes(command);
  BOOST_TEST(pids.size() == 3U);
  command.send(signal);
  BOOST_TEST(command.wait().value_or(-1) == 128 + signal);
  for (auto pid : pids) BOOST_TEST(is_gone(pid));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster_command)

BOOST_AUTO_TEST_CASE(its_nodes_end_with_it) {
  check_ends_all_on(SIGINT, {"ps=1", "worker=2"});
  check_ends_all_on(SIGTERM, {"ps=1", "worker=2"});
  check_ends_all_on(SIGTERM, {"ps=1", "worker=2", "--", "sleep", "1000"});
}

BOOST_AUTO_TEST_CASE(it_runs_a_command_and_ends_as_that_does) {
  Process command(
      run_cluster({"ps=1", "worker=2", "--", "sh", "-c", "echo $0; exit 7", "{worker:1}"}));
  auto pids = await_nodes(command);
  BOOST_TEST(command.read_line().value_or("").starts_with("troupe://127.0.0.1:"));
  BOOST_TEST(command.wait().value_or(-1) == 7);
  for (auto pid : pids) BOOST_TEST(is_gone(pid));
}

BOOST_AUTO_TEST_CASE(wrong_words_are_refused) {
  for (auto word : {"ps", "ps=0", "=1", "--nonsense"}) {
    Process command(run_cluster({word}));
    BOOST_TEST(command.wait().value_or(-1) == 2);
    BOOST_TEST(command.errors().find(word) != std::string::npos, command.errors());
  }
}

BOOST_AUTO_TEST_SUITE_END()
