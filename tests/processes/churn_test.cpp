#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "troupe/tests/process_usage.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/fork.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// By default two fifths of the full test, which takes 5 s.
double scale() {
  const char* text = std::getenv("TROUPE_CHURN_SCALE");
  return text ? std::atof(text) : 0.4;
}
const int sessions_opened = static_cast<int>(500 * scale());
const int clients_killed = static_cast<int>(200 * scale());

/// A graph over two tasks, which each client also uses by a callable and a partial run.
struct Graph {
  Builder b;
  Value x = b.placeholder(DType::float32, {Shape::unknown});
  Value far = b.on("/job:ps/task:0").neg(x);
  Value sum = b.on("/job:worker/task:0").reduce_sum(far);
};

/// A session with a callable, a partial run and a pending step that are still open.
struct BusySession {
  explicit BusySession(Client& client) : session(open(client)) {
    BOOST_REQUIRE(session->extend(graph.b).ok());
    auto feed = Tensor::of<float>({1000}, std::vector<float>(1000, 1.0f));
    BOOST_REQUIRE(session->run({{graph.x, feed}}, {graph.sum}).ok());
    auto made = session->make_callable({graph.x}, {graph.far});
    BOOST_REQUIRE(made.ok());
    callable = *std::move(made);
    BOOST_REQUIRE(callable->run({feed}).ok());
    auto set_up = session->partial_run_setup({graph.x}, {graph.far});
    BOOST_REQUIRE(set_up.ok());
    partial_run = *std::move(set_up);
    pending = callable->start({feed});
  }

  Graph graph;
  std::unique_ptr<Session> session;
  std::unique_ptr<Callable> callable;
  std::unique_ptr<PartialRun> partial_run;
  std::unique_ptr<PendingStep> pending;
};

void open_and_close(const std::string& target, int count) {
  auto client = connect(target);
  for (int i = 0; i < count; ++i) {
    BusySession busy(*client);
    if (i % 2 == 0) BOOST_REQUIRE(busy.session->close().ok());
  }
}

void connect_and_kill(const std::string& target, int count) {
  for (int i = 0; i < count; ++i) {
    int ready[2];
    BOOST_REQUIRE(pipe(ready) == 0);
    Fork client([&] {
      auto connection = connect(target);
      BusySession busy(*connection);
      (void)!write(ready[1], "!", 1);
      for (;;) pause();
    });
    close(ready[1]);
    char byte = 0;
    BOOST_REQUIRE(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
  }
}

void await_no_sessions(Client& client) {
  auto end = std::chrono::steady_clock::now() + test_timeout;
  while (client.node_info()->sessions > 0) {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(churn)

BOOST_AUTO_TEST_CASE(opened_sessions_and_killed_clients_leak_nothing) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}});
  auto target = nodes.target("worker", 0);
  auto churn = [&](int sessions, int clients) {
    connect_and_kill(target, clients);
    open_and_close(target, sessions);
    await_no_sessions(*connect(target));
    std::this_thread::sleep_for(100ms);  // the last connection ends
  };
  churn(sessions_opened / 2, clients_killed / 2);
  std::map<std::string, ProcessUsage> before;
  for (const auto* job : {"ps", "worker"}) before[job] = usage_of(nodes.node(job, 0).pid());
  churn(sessions_opened, clients_killed);
  for (const auto* job : {"ps", "worker"}) {
    auto now = usage_of(nodes.node(job, 0).pid());
    BOOST_TEST_MESSAGE(
        job << ": " << before[job].memory_mib << " MiB, after it all " << now.memory_mib);
    BOOST_TEST(now.memory_mib <= 1.05 * before[job].memory_mib);
    BOOST_TEST(now.threads == before[job].threads);
    BOOST_TEST(now.descriptors == before[job].descriptors);
  }
}

BOOST_AUTO_TEST_SUITE_END()
