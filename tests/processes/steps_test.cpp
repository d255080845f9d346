#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <future>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// sum = -x + y, where -x is computed on the parameter server; the worker is the master.
struct StepsOverNodesFixture {
  NodeCluster nodes{{{"ps", 1}, {"worker", 1}}, {"--max-sessions", "2", "--connect-timeout", "2"}};
  std::unique_ptr<Client> client = connect(nodes.target("worker", 0));
  Builder b;
  Value x = b.placeholder(DType::float32, {});
  Value y = b.placeholder(DType::float32, {});
  Value minus = b.on("/job:ps/task:0").named("minus").neg(x);
  Value sum = b.on("/job:worker/task:0").named("sum").add(minus, y);
  std::unique_ptr<Session> session = opened();

  std::unique_ptr<Session> opened(const SessionOptions& options = {}) {
    auto made = must(client->session(options));
    BOOST_REQUIRE(made->extend(b).ok());
    return made;
  }
  template <class T>
  static T must(Result<T> result) {
    BOOST_REQUIRE_MESSAGE(result.ok(), result.status().to_string());
    return *std::move(result);
  }
  static Tensor number(float value) { return Tensor::scalar(value); }
  static float value_of(const Result<Tensors>& values) {
    BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
    return values->at(0).value<float>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(steps_over_nodes, StepsOverNodesFixture)

BOOST_AUTO_TEST_CASE(a_callable_goes_on_after_a_task_that_it_uses_was_killed) {
  auto callable = must(session->make_callable({x, y}, {sum}, {}, {.timeout = 10s}));
  BOOST_TEST(value_of(callable->run({number(1), number(5)})) == 4.0f);
  nodes.node("ps", 0).send(SIGKILL);
  (void)nodes.node("ps", 0).wait();
  auto status = callable->run({number(1), number(5)}).status();
  BOOST_TEST((status.code() == Code::unavailable), status.to_string());
  BOOST_TEST(status.where().task == "/job:ps/task:0");
  nodes.restart("ps", 0);
  BOOST_TEST(value_of(callable->run({number(1), number(5)})) == 4.0f);
}

BOOST_AUTO_TEST_CASE(a_partial_run_crosses_nodes_and_leaves_no_step_behind) {
  auto partial = must(session->partial_run_setup({x, y}, {minus, sum}));
  BOOST_TEST(value_of(partial->run({{x, number(2)}}, {minus})) == -2.0f);
  auto steps = must(client->list_waiting_steps());
  BOOST_TEST_REQUIRE(steps.size() == 1u);
  BOOST_TEST(std::ranges::count_if(steps[0].waits, [](const Wait& wait) {
               return wait.what.ends_with("from the client of the partial run");
             }) == 1);
  BOOST_TEST(value_of(partial->run({{y, number(5)}}, {sum})) == 3.0f);
  BOOST_TEST(must(client->list_waiting_steps()).empty());
}

BOOST_AUTO_TEST_CASE(a_cancelled_step_ends_at_once_and_is_cancelled_on_all_nodes) {
  auto there = b.on("/job:ps/task:0");
  auto square = there.fill(there.ints({1000, 1000}), there.constant(1.0f)), power = square;
  for (int i = 0; i < 10'000; ++i) power = there.matmul(power, square);
  auto long_sum = b.on("/job:worker/task:0").reduce_sum(power);
  BOOST_REQUIRE(session->extend(b).ok());
  auto step = session->start({}, {long_sum});
  auto end = std::chrono::steady_clock::now() + test_timeout;
  auto runs = [&] {
    return std::ranges::any_of(must(client->list_waiting_steps()), &WaitingStep::step);
  };
  while (!runs()) BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
  BOOST_TEST(!step->done());
  step->cancel();
  BOOST_TEST((step->wait().status().code() == Code::cancelled));
  while (!must(client->list_waiting_steps()).empty())
    BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
}

BOOST_AUTO_TEST_CASE(metadata_tells_of_all_nodes) {
  auto traced = must(session->trace({{x, number(1)}, {y, number(1)}}, {sum}));
  BOOST_TEST_REQUIRE(traced.metadata.devices.size() == 2u);
  for (const auto& run : traced.metadata.devices) {
    BOOST_TEST(!run.nodes.empty());
    BOOST_TEST((run.duration > 0ns && run.begin + run.duration <= run.end));
  }
}

BOOST_AUTO_TEST_CASE(a_node_refuses_the_session_after_the_last_and_logs_placements) {
  auto second = opened({.log_device_placement = true});
  BOOST_TEST(value_of(second->run({{x, number(1)}, {y, number(2)}}, {sum})) == 1.0f);
  auto status = client->session().status();
  BOOST_TEST((status.code() == Code::resource_exhausted));
  check_says(status.message(), "/job:worker/task:0 has 2 sessions, and takes no more than 2");
  second.reset();
  BOOST_TEST(client->session().ok());
  auto& node = nodes.node("worker", 0);
  node.send(SIGTERM);
  BOOST_TEST((node.wait() == 0));
  check_says(node.errors(), "minus: (Neg): /job:ps/task:0/device:CPU:0");
  check_says(node.errors(), "sum: (AddV2): /job:worker/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_log_that_nobody_reads_holds_up_no_step_and_no_end) {
  auto logged = must(client->session({.log_device_placement = true}));
  Builder many;
  Values all;
  for (int i = 0; i < 20'000; ++i) all.push_back(many.op("NoOp"));
  auto end = many.group(all);
  BOOST_REQUIRE(logged->extend(many).ok());
  auto status = logged->run({}, {}, {end}).status();  // more than the pipe takes
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(value_of(session->run({{x, number(1)}, {y, number(2)}}, {sum})) == 1.0f);
  auto& node = nodes.node("worker", 0);
  auto ended = std::async(std::launch::async, [pid = static_cast<id_t>(node.pid())] {
    siginfo_t info;
    return waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
  });
  node.send(SIGTERM);
  BOOST_TEST((ended.wait_for(test_timeout) == std::future_status::ready));
  BOOST_TEST((node.wait() == 0));
}

BOOST_AUTO_TEST_SUITE_END()
