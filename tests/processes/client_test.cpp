#include <csignal>
#include <fstream>
#include <thread>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/fork.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

/// Runs one step that takes minutes.
void run_for_long(const std::string& target, const ConnectOptions& options = {}) {
  auto client = connect(target, options);
  auto session = open(*client);
  Builder b;
  auto x = b.fill(b.ints({1000, 1000}), b.constant(1.0f));
  auto y = x;
  for (int i = 0; i < 10'000; ++i) y = b.matmul(y, x);
  auto sum = b.reduce_sum(y);
  BOOST_REQUIRE(session->extend(b).ok());
  (void)session->run({}, {sum});
}

/// The CPU time of all threads of a process so far.
std::chrono::milliseconds cpu_time(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  for (int skipped = 0; skipped < 11; ++skipped) fields >> text;
  int64_t user = 0, system = 0;
  fields >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

bool await(const std::function<bool()>& condition) {
  for (auto start = Clock::now(); Clock::now() - start < test_timeout;) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clients)

BOOST_AUTO_TEST_CASE(a_killed_clients_session_closes_and_its_step_ends) {
  NodeCluster nodes({{"worker", 1}});
  auto pid = nodes.node("worker", 0).pid();
  Fork busy([&] { run_for_long(nodes.target("worker", 0)); });
  auto client = connect(nodes.target("worker", 0));
  BOOST_REQUIRE(await([&] { return client->node_info()->steps == 1; }));

  busy.kill_it();
  auto start = Clock::now();
  BOOST_REQUIRE(await([&] { return client->node_info()->sessions == 0; }));
  BOOST_TEST((Clock::now() - start < 10s));  // it takes some milliseconds, where 1 s is promised
  BOOST_TEST(await([&] {
    auto before = cpu_time(pid);
    std::this_thread::sleep_for(200ms);
    return cpu_time(pid) - before < 50ms;
  }));
}

BOOST_AUTO_TEST_CASE(a_suspended_client_keeps_waiting) {
  NodeCluster nodes({{"worker", 1}});
  Fork waiting([&] { run_for_long(nodes.target("worker", 0), {.heartbeat_limit = 400ms}); });
  auto client = connect(nodes.target("worker", 0));
  BOOST_REQUIRE(await([&] { return client->node_info()->steps == 1; }));
  for (int i = 0; i < 3; ++i) {
    waiting.send(SIGSTOP);
    std::this_thread::sleep_for(600ms);
    waiting.send(SIGCONT);
    std::this_thread::sleep_for(200ms);
    BOOST_TEST(client->node_info()->sessions == 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
