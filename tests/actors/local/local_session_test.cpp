#include "troupe/actors/local/local_session.hpp"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>
#include <mutex>
#include <thread>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/device_starts.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/support/text.hpp"
#include "troupe/tests/graph/draw/trace_rules.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using troupe::testing::test_timeout;
using namespace std::chrono_literals;

namespace local_session {
namespace {

const char* ps = "/job:ps/task:0";
const char* ps_cpu = "/job:ps/task:0/device:CPU:0";
const char* worker_cpu = "/job:worker/task:0/device:CPU:0";

template <class T>
T must(Result<T> result) {
  BOOST_REQUIRE_MESSAGE(result.ok(), result.status().to_string());
  return *std::move(result);
}

/// y = 2 x + 1, where the parameter server computes 2 x.
struct LocalSessionFixture {
  std::mutex mutex;
  std::vector<std::string> log;
  LocalCluster cluster{
      {{"ps", 1}, {"worker", 1}},
      {.threads = 1, .sessions_max = 3, .log = [this](const std::string& line) {
         std::lock_guard lock(mutex);
         log.push_back(line);
       }}};
  Builder b;
  Value x = b.named("x").placeholder(DType::float32, {});
  Value twice = b.on(ps).named("twice").mul(x, b.constant(2.0f));
  Value y = b.named("y").add(twice, b.constant(1.0f));
  std::unique_ptr<Session> session = open();

  std::unique_ptr<Session> open(const SessionOptions& options = {}) {
    auto opened = must(cluster.session("worker", 0, options));
    BOOST_REQUIRE(opened->extend(b).ok());
    return opened;
  }
};

float value_of(const Result<Tensors>& values) {
  BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
  return values->at(0).value<float>();
}

const NodeRun& node_of(const DeviceRun& run, const std::string& op) {
  auto found = std::ranges::find(run.nodes, op, &NodeRun::op);
  BOOST_REQUIRE_MESSAGE(found != run.nodes.end(), op + " is not among the nodes");
  return *found;
}

}  // namespace
}  // namespace local_session

BOOST_FIXTURE_TEST_SUITE(local_session, local_session::LocalSessionFixture)

// -- pending steps

BOOST_AUTO_TEST_CASE(a_started_step_is_waited_for_later_and_answers_the_same_each_time) {
  auto step = session->start({{x, Tensor::scalar(3.0f)}}, {y});
  BOOST_TEST(value_of(step->wait()) == 7.0f);
  BOOST_TEST(step->done());
  step->cancel();
  BOOST_TEST(value_of(step->wait()) == 7.0f);
}

BOOST_AUTO_TEST_CASE(a_step_can_be_waited_for_with_a_timeout_and_calls_back_at_its_end) {
  auto step = session->start({{x, Tensor::scalar(3.0f)}}, {y});
  std::promise<void> told;
  step->when_done([&] { told.set_value(); });
  BOOST_TEST(step->wait_for(test_timeout));
  BOOST_TEST((told.get_future().wait_for(test_timeout) == std::future_status::ready));
  bool at_once = false;
  step->when_done([&] { at_once = true; });
  BOOST_TEST(at_once);
}

BOOST_AUTO_TEST_CASE(a_running_step_calls_back_when_it_ends) {
  auto slow = b.fill(b.ints({1500, 1500}), b.constant(1.0f));
  for (int i = 0; i < 20; ++i) slow = b.matmul(slow, slow);
  BOOST_REQUIRE(session->extend(b).ok());
  auto step = session->start({}, {}, {slow});
  BOOST_TEST(!step->wait_for(0ms));
  std::promise<void> told;
  step->when_done([&] { told.set_value(); });
  step->cancel();
  BOOST_TEST((told.get_future().wait_for(test_timeout) == std::future_status::ready));
}

BOOST_AUTO_TEST_CASE(a_started_step_fails_with_the_same_errors_as_run) {
  auto step = session->start({}, {y});
  BOOST_TEST((step->wait().status().code() == Code::invalid_argument));
  BOOST_TEST(session->close().ok());
  auto late = session->start({}, {y});
  BOOST_TEST((late->wait().status().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(many_steps_run_at_once_while_the_graph_grows) {
  std::vector<std::unique_ptr<PendingStep>> steps;
  for (int i = 0; i < 200; ++i) {
    steps.push_back(session->start({{x, Tensor::scalar(float(i))}}, {y}));
    auto next = b.add(y, b.constant(float(i)));
    BOOST_REQUIRE(session->extend(b).ok());
    steps.push_back(session->start({{x, Tensor::scalar(float(i))}}, {next}));
  }
  for (int i = 0; i < 200; ++i) {
    auto expected = 2.0f * float(i) + 1.0f;
    BOOST_TEST(value_of(steps[2 * i]->wait()) == expected);
    BOOST_TEST(value_of(steps[2 * i + 1]->wait()) == expected + float(i));
  }
}

BOOST_AUTO_TEST_CASE(threads_share_a_session) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      auto callable = session->make_callable({x}, {y});
      for (int i = 0; i < 100; ++i) {
        auto feed = Tensor::scalar(float(100 * thread + i));
        auto expected = 2.0f * float(100 * thread + i) + 1.0f;
        auto run = session->run({{x, feed}}, {y}), called = (*callable)->run({feed});
        wrong += !run.ok() || run->at(0).value<float>() != expected;
        wrong += !called.ok() || called->at(0).value<float>() != expected;
      }
    });
  for (auto& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
}

// -- callables

BOOST_AUTO_TEST_CASE(a_callable_takes_its_feeds_by_position) {
  auto z = b.named("z").sub(y, x);
  BOOST_REQUIRE(session->extend(b).ok());
  auto callable = must(session->make_callable({x, twice}, {z, "twice:0"}));
  auto values = must(callable->run({Tensor::scalar(1.0f), Tensor::scalar(10.0f)}));
  BOOST_TEST(values.at(0).value<float>() == 10.0f);
  BOOST_TEST(values.at(1).value<float>() == 10.0f);
  BOOST_TEST(
      value_of(callable->start({Tensor::scalar(2.0f), Tensor::scalar(5.0f)})->wait()) == 4.0f);
}

BOOST_AUTO_TEST_CASE(make_callable_returns_the_errors_of_the_compilation) {
  BOOST_TEST((session->make_callable({x}, {"nowhere"}).status().code() == Code::not_found));
  BOOST_TEST((session->make_callable({x, x}, {y}).status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_callable_refuses_feeds_that_are_not_its_own) {
  auto callable = must(session->make_callable({x}, {y}));
  auto few = callable->run({}).status();
  BOOST_TEST((few.code() == Code::invalid_argument));
  BOOST_TEST(few.message() == "the step has 1 feeds, not 0");
  auto wrong = callable->run({Tensor::scalar(int32_t{1})}).status();
  BOOST_TEST((wrong.code() == Code::invalid_argument));
  BOOST_TEST(wrong.message().find("'x:0'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_callable_ends_with_its_session) {
  auto callable = must(session->make_callable({x}, {y}));
  BOOST_TEST(session->close().ok());
  auto status = callable->run({Tensor::scalar(1.0f)}).status();
  BOOST_TEST((status.code() == Code::failed_precondition));
  BOOST_TEST((session->make_callable({x}, {y}).status().code() == Code::failed_precondition));
}

// -- options

BOOST_AUTO_TEST_CASE(the_operation_timeout_applies_to_steps_without_a_timeout) {
  auto impatient = open({.operation_timeout = testing::stretched(100ms)});
  auto partial = must(impatient->partial_run_setup({x}, {y}));
  auto status = partial->run({}, {}).status();
  auto end = std::chrono::steady_clock::now() + testing::test_timeout;
  while (status.ok() && std::chrono::steady_clock::now() < end)
    status = partial->run({}, {}).status();
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  BOOST_TEST(value_of(impatient->run({{x, Tensor::scalar(1.0f)}}, {y})) == 3.0f);
}

BOOST_AUTO_TEST_CASE(the_log_has_the_placement_of_each_node_once) {
  BOOST_TEST(value_of(session->run({{x, Tensor::scalar(1.0f)}}, {y})) == 3.0f);
  {
    std::lock_guard lock(mutex);
    BOOST_TEST(log.empty());
  }
  auto talkative = open({.log_device_placement = true});
  BOOST_TEST(talkative->run({{x, Tensor::scalar(1.0f)}}, {y}).ok());
  BOOST_TEST(talkative->run({{x, Tensor::scalar(1.0f)}}, {y, twice}).ok());
  std::lock_guard lock(mutex);
  std::vector<std::string> lines;
  for (const auto& text : log)
    for (auto line : split(text, '\n')) lines.emplace_back(line);
  BOOST_TEST(std::ranges::count(lines, std::string("twice: (Mul): ") + ps_cpu) == 1);
  BOOST_TEST(std::ranges::count(lines, std::string("y: (AddV2): ") + worker_cpu) == 1);
  BOOST_TEST(std::ranges::count_if(lines, [](const auto& line) { return line[0] == '_'; }) == 0);
}

BOOST_AUTO_TEST_CASE(a_task_refuses_sessions_above_its_maximum) {
  auto second = open(), third = open();
  auto status = cluster.session("worker").status();
  BOOST_TEST((status.code() == Code::resource_exhausted));
  BOOST_TEST(status.message() == "/job:worker/task:0 has 3 sessions, and takes no more than 3");
  BOOST_TEST(cluster.session("ps").ok());
  for (int i = 0; i < 100; ++i) {  // a closed one does not count any more
    BOOST_TEST(third->close().ok());
    third = open();
  }
}

BOOST_AUTO_TEST_CASE(options_that_only_servers_support_give_warnings) {
  BOOST_TEST(session->warnings().empty());
  BOOST_TEST(open({.threads = 2})->warnings().size() == 1u);
}

// -- metadata

BOOST_AUTO_TEST_CASE(a_trace_has_each_node_and_the_transferred_tensors) {
  auto traced = must(session->trace({{x, Tensor::scalar(3.0f)}}, {y}));
  BOOST_TEST(value_of(traced.values) == 7.0f);
  BOOST_TEST_REQUIRE(traced.metadata.devices.size() == 2u);
  for (const auto& run : traced.metadata.devices) {
    BOOST_TEST((run.begin >= 0ns && run.begin <= run.end));
    BOOST_TEST((run.duration > 0ns && run.begin + run.duration <= run.end));
    BOOST_TEST(run.graph.empty());
    for (const auto& node : run.nodes)
      BOOST_TEST((0ns <= node.begin && node.begin <= node.end && node.end <= run.duration));
  }
  auto there = std::ranges::find(traced.metadata.devices, ps_cpu, &DeviceRun::device);
  auto here = std::ranges::find(traced.metadata.devices, worker_cpu, &DeviceRun::device);
  BOOST_TEST(node_of(*there, "Mul").node == "twice");
  BOOST_TEST(node_of(*there, "Mul").bytes == 4u);
  const auto& sent = node_of(*there, "_Send");
  BOOST_TEST(sent.tensor == "twice:0");
  BOOST_TEST(sent.peer == worker_cpu);
  BOOST_TEST(sent.bytes == 4u);
  const auto& received = node_of(*here, "_Recv");
  BOOST_TEST(received.tensor == "twice:0");
  BOOST_TEST(received.peer == ps_cpu);
  BOOST_TEST(received.bytes == 4u);
  BOOST_TEST(node_of(*here, "_Retval").bytes == 4u);
}

BOOST_AUTO_TEST_CASE(the_clocks_of_one_process_are_aligned_exactly) {
  auto traced = must(session->trace({{x, Tensor::scalar(3.0f)}}, {y}));
  auto transfers = tensor_transfers_of(traced.metadata);
  BOOST_TEST_REQUIRE(transfers.size() == 1U);
  auto starts = device_starts(traced.metadata, transfers);
  BOOST_TEST_REQUIRE(starts.size() == 2U);
  for (const auto& start : starts) {
    BOOST_TEST((start.uncertainty == 0ns));
    BOOST_TEST((start.at >= 0ns));
  }
  const auto& [from, to, send, recv] = transfers[0];
  BOOST_TEST((starts[from].at + send->begin <= starts[to].at + recv->end));
}

BOOST_AUTO_TEST_CASE(a_trace_names_feeds_as_the_client_does_and_says_since_when_nodes_were_ready) {
  auto traced = must(session->trace({{x, Tensor::scalar(3.0f)}}, {y}));
  size_t feeds = 0;
  for (const auto& run : traced.metadata.devices)
    for (const auto& node : run.nodes) {
      BOOST_TEST((0ns <= node.ready && node.ready <= node.begin));
      if (node.op != "_Arg") continue;
      ++feeds;
      BOOST_TEST(node.tensor == Ref(x).name);
      BOOST_TEST(node.peer == "client");
    }
  BOOST_TEST(feeds >= 1U);
}

BOOST_AUTO_TEST_CASE(a_session_explains_a_step_without_running_it) {
  auto explanation = must(session->explain({x}, {y}));
  BOOST_TEST(explanation.devices.size() == 2U);
  BOOST_TEST(explanation.predicted.count() > 0);
  auto node = std::ranges::find(explanation.nodes, "twice", &ExplainedNode::node);
  BOOST_TEST_REQUIRE((node != explanation.nodes.end()));
  BOOST_TEST(node->device == ps_cpu);
  BOOST_TEST(node->measured_steps == 0U);
  must(session->trace({{x, Tensor::scalar(3.0f)}}, {y}));
  explanation = must(session->explain({x}, {y}));
  node = std::ranges::find(explanation.nodes, "twice", &ExplainedNode::node);
  BOOST_TEST(node->measured_steps == 1U);
  BOOST_TEST((node->predicted == node->measured));
  BOOST_TEST((session->explain({x}, {"nobody"}).status().code() == Code::not_found));
  BOOST_TEST(session->close().ok());
  BOOST_TEST((session->explain({x}, {y}).status().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(a_trace_has_the_peak_memory_of_the_device) {
  auto large =
      b.reduce_sum(b.fill(b.constant(Tensor::of<int32_t>({1}, {1 << 20})), b.constant(1.0f)));
  BOOST_REQUIRE(session->extend(b).ok());
  auto traced = must(session->trace({}, {large}));
  BOOST_TEST(traced.metadata.devices.at(0).memory_peak >= 4u << 20);
  BOOST_TEST(node_of(traced.metadata.devices[0], "Fill").bytes == 4u << 20);
}

BOOST_AUTO_TEST_CASE(a_step_over_two_tasks_is_a_valid_trace_and_can_be_drawn) {
  auto traced = must(session->trace(
      {{x, Tensor::scalar(3.0f)}}, {y}, {},
      {.trace = Trace::full, .output_partition_graphs = true}));
  auto trace = nlohmann::json::parse(to_chrome_trace(traced.metadata));
  BOOST_TEST(testing::TraceRules::faults_of(trace).empty(), trace.dump(2));
  auto is_arrow = [](const nlohmann::json& event) { return event["ph"] == "s"; };
  BOOST_TEST(std::ranges::count_if(trace["traceEvents"], is_arrow) == 1);
  auto dot = must(to_dot(traced.metadata));
  BOOST_TEST(dot.find("[label=\"float32[]\" color=blue]") != std::string::npos, dot);
}

BOOST_AUTO_TEST_CASE(partition_graphs_are_returned_if_requested) {
  auto step =
      session->start({{x, Tensor::scalar(3.0f)}}, {y}, {}, {.output_partition_graphs = true});
  BOOST_TEST(step->wait().ok());
  auto metadata = step->metadata();
  BOOST_TEST_REQUIRE(metadata.devices.size() == 2u);
  for (const auto& run : metadata.devices) {
    BOOST_TEST(run.nodes.empty());
    auto name = run.device == ps_cpu ? "twice" : "y";
    BOOST_TEST(std::ranges::count(run.graph, name, &NodeDef::name) == 1);
  }
  auto plain = session->start({{x, Tensor::scalar(3.0f)}}, {y});
  BOOST_TEST(plain->wait().ok());
  BOOST_TEST(plain->metadata().devices.empty());
}

BOOST_AUTO_TEST_CASE(callables_and_failed_steps_are_traced) {
  auto callable = must(session->make_callable({x}, {y}, {}, {.trace = Trace::full}));
  auto step = callable->start({Tensor::scalar(1.0f)});
  BOOST_TEST(step->wait().ok());
  BOOST_TEST(step->metadata().devices.size() == 2u);
  auto read = b.variable("v", b.constant(1.0f)).value();
  BOOST_REQUIRE(session->extend(b).ok());
  auto failed = session->start({}, {read}, {}, {.trace = Trace::full});
  auto status = failed->wait().status();
  BOOST_TEST((status.code() == Code::failed_precondition), status.to_string());
  BOOST_TEST_REQUIRE(failed->metadata().devices.size() == 1u);
  BOOST_TEST(node_of(failed->metadata().devices[0], "ReadVariableOp").bytes == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
