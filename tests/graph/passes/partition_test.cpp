#include "troupe/graph/passes/partition.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/ops/transfer.hpp"

using namespace troupe;

namespace {

struct PartitionPassFixture {
  Builder b;
  DeviceName a_cpu{"a", 0, "CPU", 0};
  DeviceName b_cpu{"b", 0, "CPU", 0};

  /// Partitions a step with each node on the device of its constraint, or else on a_cpu.
  std::vector<Partition> cut(const StepSignature& signature) {
    auto step = prune(b.graph(), signature);
    BOOST_REQUIRE(step.ok());
    std::map<NodeId, DeviceName> places;
    for (auto id : step->nodes) places[id] = b.graph().node(id).device == "/job:b" ? b_cpu : a_cpu;
    auto partitions = partition(b.graph(), *step, places);
    BOOST_TEST_REQUIRE(partitions.ok(), partitions.status().to_string());
    return *partitions;
  }

  static long count(const Partition& part, const std::string& op) {
    return std::ranges::count(part.nodes, op, &NodeDef::op);
  }

  /// What a device actor does with it: it must be a graph by itself.
  void check_valid(const std::vector<Partition>& parts) {
    for (const auto& part : parts) {
      Graph graph(b.graph().shared_catalog());
      for (const auto& def : part.nodes) {
        auto added = graph.add(def);
        BOOST_TEST(added.ok(), added.status().to_string());
      }
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(partition_pass, PartitionPassFixture)

BOOST_AUTO_TEST_CASE(a_step_on_one_device_is_one_partition_without_transfers) {
  auto x = b.placeholder(DType::float32, {});
  auto y = b.neg(x);
  auto parts = cut({{x.name()}, {y.name()}, {}});
  BOOST_REQUIRE(parts.size() == 1u);
  BOOST_TEST(count(parts[0], transfer::arg) == 1);
  BOOST_TEST(count(parts[0], transfer::retval) == 1);
  BOOST_TEST(count(parts[0], transfer::send) + count(parts[0], transfer::recv) == 0);
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(an_output_crosses_once_for_all_its_users_there) {
  auto x = b.neg(b.neg(b.constant(1.0f)));
  auto there = b.on("/job:b");
  auto y = there.add(there.neg(x), there.square(x));
  auto parts = cut({{}, {y.name()}, {}});
  BOOST_REQUIRE(parts.size() == 2u);
  BOOST_TEST(count(parts[0], transfer::send) == 1);
  BOOST_TEST(count(parts[1], transfer::recv) == 1);
  BOOST_TEST((parts[1].fetches == std::vector<int>{0}));
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(feeds_go_straight_to_every_device_that_uses_them) {
  auto x = b.placeholder(DType::float32, {});
  auto y = b.neg(x), z = b.on("/job:b").neg(x);
  auto parts = cut({{x.name()}, {y.name(), z.name()}, {}});
  BOOST_REQUIRE(parts.size() == 2u);
  for (const auto& part : parts) {
    BOOST_TEST((part.feeds == std::vector<int>{0}));
    BOOST_TEST(count(part, transfer::recv) == 0);
  }
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(constants_without_a_constraint_are_copied_to_their_users) {
  auto one = b.constant(1.0f);
  auto y = b.on("/job:b").neg(one);
  auto z = b.neg(one);
  auto parts = cut({{}, {y.name(), z.name()}, {}});
  BOOST_REQUIRE(parts.size() == 2u);
  for (const auto& part : parts) {
    BOOST_TEST(count(part, "Const") == 1);
    BOOST_TEST(count(part, transfer::recv) == 0);
  }
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(a_control_edge_crosses_as_a_signal) {
  auto first = b.op("NoOp");
  auto y = b.on("/job:b").after({first}).neg(b.constant(1.0f));
  auto z = b.on("/job:b").after({first}).neg(b.constant(2.0f));
  auto parts = cut({{}, {y.name(), z.name()}, {}});
  BOOST_REQUIRE(parts.size() == 2u);
  BOOST_TEST(count(parts[0], transfer::send) == 1);
  BOOST_TEST(count(parts[1], transfer::recv) == 1);
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(the_feeds_and_fetches_of_a_partial_step_are_edges_of_its_client) {
  auto x = b.placeholder(DType::float32, {}), y = b.placeholder(DType::float32, {});
  auto here = b.neg(y), there = b.on("/job:b").add(b.on("/job:b").neg(y), x);
  auto parts = cut(
      {.feeds = {x.name(), y.name()},
       .fetches = {there.name(), here.name()},
       .targets = {},
       .is_partial = true});
  BOOST_REQUIRE(parts.size() == 2u);
  check_valid(parts);
  for (const auto& part : parts) {
    BOOST_TEST(count(part, transfer::arg) + count(part, transfer::retval) == 0);
    auto is_there = part.device == b_cpu.to_string();
    BOOST_TEST(part.feeds.size() == (is_there ? 2u : 1u));
    BOOST_TEST(
        part.fetches == std::vector<int>{is_there ? 0 : 1}, boost::test_tools::per_element());
    for (const auto& node : part.nodes) {
      if (node.op == transfer::send)
        BOOST_TEST(*node.attrs.at("edge").get<int64_t>() == transfer::client_edge(part.fetches[0]));
      if (node.op == transfer::recv)
        BOOST_TEST(*node.attrs.at("from_device").get<std::string>() == transfer::client);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_fed_fetch_is_left_to_the_caller) {
  auto x = b.placeholder(DType::float32, {});
  auto parts = cut({{x.name()}, {x.name()}, {}});
  BOOST_TEST(parts.empty());
}

BOOST_AUTO_TEST_CASE(a_reference_is_read_on_its_device_for_users_of_the_value) {
  auto there = b.on("/job:b");
  auto w = there.named("w").op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}});
  auto set = there.op("Assign", {w, there.named("x").placeholder(DType::float32)});
  auto y = b.after({set}).neg(w);
  auto parts = cut({{"x"}, {y.name(), set.name()}, {}});
  BOOST_REQUIRE(parts.size() == 2u);
  BOOST_TEST(count(parts[0], transfer::read) == 0);
  BOOST_TEST(count(parts[0], transfer::recv) == 2);  // the value, and that Assign has run
  BOOST_TEST(count(parts[1], transfer::read) == 2);  // after Assign, and of its output
  for (const auto& node : parts[1].nodes)
    if (node.op == transfer::send && !node.inputs[0].starts_with(transfer::signal_prefix))
      BOOST_TEST(node.inputs[0].starts_with(transfer::read_prefix));
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(users_that_wait_for_the_same_share_a_read) {
  auto w = b.named("w").op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}});
  auto parts = cut({{}, {b.neg(w).name(), b.op("Square", {w}).name(), w.name()}, {}});
  BOOST_REQUIRE(parts.size() == 1u);
  BOOST_TEST(count(parts[0], transfer::read) == 1);
  check_valid(parts);
}

BOOST_AUTO_TEST_CASE(only_what_follows_an_assignment_reads_the_value_of_a_reference_again) {
  auto w = b.named("w").op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}});
  auto value = b.identity(w),
       other = b.identity(
           b.named("v").op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}}));
  auto set = b.op("Assign", {w, b.neg(value)});
  auto later = b.after({set});
  auto reads = [&](const Value& fetch) {
    auto parts = cut({{}, {fetch.name()}, {}});
    BOOST_REQUIRE(parts.size() == 1u);
    check_valid(parts);
    return count(parts[0], transfer::read);
  };
  BOOST_TEST(reads(b.neg(value)) == 1);
  BOOST_TEST(reads(b.neg(b.identity(set))) == 2);  // before, and what was assigned
  BOOST_TEST(reads(later.neg(value)) == 2);
  BOOST_TEST(reads(later.neg(b.neg(value))) == 1);
  BOOST_TEST(reads(later.add(value, other)) == 3);
}

BOOST_AUTO_TEST_CASE(a_reference_may_go_round_in_a_loop_before_it_comes_in) {
  Graph graph(b.graph().shared_catalog());
  auto add = [&](NodeDef def) {
    auto added = graph.add(std::move(def));
    BOOST_TEST_REQUIRE(added.ok(), added.status().to_string());
  };
  add({.name = "w", .op = "VariableV2", .attrs = {{"dtype", DType::float32}, {"shape", Shape()}}});
  add({.name = "value", .op = "Identity", .inputs = {"w"}});
  add({.name = "enter", .op = "RefEnter", .inputs = {"w"}, .attrs = {{"frame_name", "loop"}}});
  add({.name = "merge", .op = "RefMerge", .inputs = {"next", "enter"}});
  add(
      {.name = "always",
       .op = "Const",
       .inputs = {"^merge"},
       .attrs = {{"value", Tensor::scalar(true)}, {"dtype", DType::boolean}}});
  add({.name = "condition", .op = "LoopCond", .inputs = {"always"}});
  add({.name = "switch", .op = "RefSwitch", .inputs = {"merge", "condition"}});
  add({.name = "sum", .op = "AssignAdd", .inputs = {"switch:1", "switch:1"}});
  add({.name = "next", .op = "RefNextIteration", .inputs = {"sum"}});
  add({.name = "exit", .op = "RefExit", .inputs = {"switch"}});
  auto step = prune(graph, {{}, {"value:0", "exit:0"}, {}});
  BOOST_TEST_REQUIRE(step.ok(), step.status().to_string());
  std::map<NodeId, DeviceName> places;
  for (auto id : step->nodes) places[id] = a_cpu;
  BOOST_TEST(partition(graph, *step, places).ok());
}

BOOST_AUTO_TEST_CASE(a_value_of_a_reference_may_be_waited_for_and_taken_many_times_over) {
  auto w = b.named("w").op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}});
  auto value = b.identity(w);
  for (int i = 0; i < 64; ++i) value = b.after({value}).identity(value);
  auto set = b.op("Assign", {w, b.constant(Tensor::of<float>({2}, {1, 2}))});
  auto parts = cut({{}, {b.after({set}).neg(value).name()}, {}});
  BOOST_REQUIRE(parts.size() == 1u);
  BOOST_TEST(count(parts[0], transfer::read) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
