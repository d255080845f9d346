#include "troupe/graph/place/step_costs.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

constexpr auto cpu_a = "/job:w/task:0/device:CPU:0";
constexpr auto cpu_b = "/job:w/task:1/device:CPU:0";

DeviceName device_named(const char* text) { return *DeviceName::parse(text); }

NodeRun node_that_ran(
    std::string node, std::string op, CostGraph::Time begin, CostGraph::Time end) {
  return {
      .node = std::move(node),
      .op = std::move(op),
      .begin = begin,
      .end = end,
      .bytes = 64,
      .tensor = {},
      .peer = {}};
}

DeviceRun device_that_ran(
    const char* device_name, CostGraph::Time end, std::vector<NodeRun> nodes) {
  return {
      .device = device_name,
      .end = end,
      .duration = end,
      .memory_peak = 1000,
      .nodes = std::move(nodes),
      .graph = {}};
}

/// A transfer of `bytes` from a to b that takes `time`.
RunMetadata transfer_that_took(uint64_t bytes, CostGraph::Time time) {
  NodeRun send = node_that_ran("_send/0", "_Send", 10us, 11us),
          recv = node_that_ran("_recv/0", "_Recv", 0us, 10us + time);
  send.bytes = recv.bytes = bytes;
  send.peer = cpu_b;
  recv.peer = cpu_a;
  auto end = 10us + time;
  return {{device_that_ran(cpu_a, end, {send}), device_that_ran(cpu_b, end, {recv})}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(step_costs)

BOOST_AUTO_TEST_CASE(a_node_takes_the_mean_of_the_steps_in_which_it_was_measured) {
  StepCosts costs;
  Builder b;
  auto x = b.constant(1.0F);
  const auto& node = b.graph().node(x.output().node);
  costs.learn({{device_that_ran(cpu_a, 1ms, {node_that_ran(node.name, "Const", 0us, 10us)})}});
  costs.learn({{device_that_ran(cpu_a, 1ms, {node_that_ran(node.name, "Const", 5us, 35us)})}});
  BOOST_TEST((costs.time_of(b.graph(), node, "CPU") == 20us));
  BOOST_TEST((costs.time_of(b.graph(), node, "GPU") == 20us));  // it is known nowhere else
  BOOST_TEST(costs.measured(node.name, "CPU")->steps == 2U);
  BOOST_TEST(!costs.measured(node.name, "GPU"));
  BOOST_TEST(costs.memory_peak(cpu_a) == 1000U);
}

BOOST_AUTO_TEST_CASE(the_times_of_a_node_of_a_loop_add_up) {
  StepCosts costs;
  costs.learn({{device_that_ran(
      cpu_a, 1ms, {node_that_ran("x", "Neg", 0us, 10us), node_that_ran("x", "Neg", 20us, 30us)})}});
  BOOST_TEST((costs.measured("x", "CPU")->time == 20us));
}

BOOST_AUTO_TEST_CASE(fused_nodes_share_their_time) {
  StepCosts costs;
  costs.learn({{device_that_ran(
      cpu_a, 1ms, {node_that_ran("x", "Neg", 0us, 10us), node_that_ran("y", "Abs", 0us, 10us)})}});
  BOOST_TEST((costs.measured("x", "CPU")->time == 5us));
  BOOST_TEST((costs.measured("y", "CPU")->time == 5us));
}

BOOST_AUTO_TEST_CASE(what_waits_for_a_tensor_is_no_cost_of_a_node) {
  StepCosts costs;
  costs.learn(transfer_that_took(8, 100us));
  BOOST_TEST(!costs.measured("_recv/0", "CPU"));
}

BOOST_AUTO_TEST_CASE(small_tensors_measure_the_latency_of_a_link_and_large_ones_its_bandwidth) {
  StepCosts costs;
  auto from = device_named(cpu_a), to = device_named(cpu_b);
  auto before = costs.link(from, to);
  BOOST_TEST(!costs.is_measured(from, to));
  costs.learn(transfer_that_took(8, 50us));
  costs.learn(transfer_that_took(1'000'000, 550us));
  BOOST_TEST(costs.is_measured(from, to));
  auto link = costs.link(from, to);
  BOOST_TEST((link.latency != before.latency));
  // When the receiver's step began is known up to the time that the tensor was on its way.
  BOOST_TEST((link.latency >= 10us && link.latency <= 60us), link.latency.count());
  BOOST_TEST((link.time_of(1'000'000) >= 250us && link.time_of(1'000'000) <= 600us));
  BOOST_TEST(!costs.is_measured(to, from));
}

BOOST_AUTO_TEST_CASE(without_measures_a_matrix_product_takes_what_its_sizes_say) {
  StepCosts costs;
  Builder b;
  auto x = b.placeholder(DType::float32, {100, 1000});
  auto y = b.placeholder(DType::float32, {1000, 10});
  auto z = b.matmul(x, y);
  const auto& node = b.graph().node(z.output().node);
  BOOST_TEST(flops_of(b.graph(), node) == 2e6);
  BOOST_TEST((costs.time_of(b.graph(), node, "CPU") == 402us));  // at 5 GFLOP/s, and 2 us
  BOOST_TEST(costs.bytes_of(b.graph(), x.output()) == 400'000U);
}

BOOST_AUTO_TEST_CASE(an_unknown_size_counts_as_one_until_it_was_measured) {
  StepCosts costs;
  Builder b;
  auto x = b.placeholder(DType::float32, {Shape::unknown, 10});
  BOOST_TEST(costs.bytes_of(b.graph(), x.output()) == 40U);
  costs.learn({{device_that_ran(
      cpu_a, 1ms,
      {node_that_ran(b.graph().node(x.output().node).name, "Placeholder", 0us, 10us)})}});
  BOOST_TEST(costs.bytes_of(b.graph(), x.output()) == 64U);
}

BOOST_AUTO_TEST_SUITE_END()
