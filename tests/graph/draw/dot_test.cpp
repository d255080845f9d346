#include "troupe/graph/draw/dot.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/passes/partition.hpp"

using namespace troupe;

namespace {

struct DotFixture {
  Builder b;

  static void check_says(const std::string& text, const std::string& part) {
    BOOST_TEST(text.find(part) != std::string::npos, "'" << part << "' is not in:\n" << text);
  }
  static void check_says_not(const std::string& text, const std::string& part) {
    BOOST_TEST(text.find(part) == std::string::npos, "'" << part << "' is in:\n" << text);
  }

  /// The metadata of a step that ran each node on the device of its constraint.
  RunMetadata ran(const StepSignature& signature) {
    auto step = prune(b.graph(), signature);
    BOOST_REQUIRE(step.ok());
    std::map<NodeId, DeviceName> places;
    for (auto id : step->nodes) places[id] = *DeviceName::parse(b.graph().node(id).device);
    RunMetadata metadata;
    auto parts = partition(b.graph(), *step, places);
    BOOST_TEST_REQUIRE(parts.ok());
    for (auto& part : *parts) {
      auto& run = metadata.devices.emplace_back();
      run.device = part.device;
      run.graph = part.nodes;
    }
    return metadata;
  }
};

const char* ps = "/job:ps/task:0/device:CPU:0";
const char* worker = "/job:worker/task:0/device:CPU:0";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dot, DotFixture)

BOOST_AUTO_TEST_CASE(a_graph_is_boxes_with_arrows) {
  auto x = b.named("x").placeholder(DType::float32, {Shape::unknown, 2});
  auto y = b.named("y").neg(x);
  b.named("last").after({y}).op("NoOp");
  BOOST_TEST(
      to_dot(b.graph()) ==
      "digraph {\n"
      "  node [shape=box style=rounded fontname=Helvetica fontsize=11]\n"
      "  edge [fontname=Helvetica fontsize=9]\n"
      "  graph [fontname=Helvetica fontsize=11]\n"
      "  n0 [label=\"x\\nPlaceholder\"]\n"
      "  n1 [label=\"y\\nNeg\"]\n"
      "  n2 [label=\"last\\nNoOp\"]\n"
      "  n0 -> n1 [label=\"float32[?,2]\"]\n"
      "  n1 -> n2 [style=dashed]\n"
      "}\n");
}

BOOST_AUTO_TEST_CASE(what_has_state_is_filled_and_variables_are_cylinders) {
  (void)b.variable("w", b.constant(1.0f)).value();
  auto text = to_dot(b.graph());
  check_says(text, "VarHandleOp\" shape=cylinder style=filled");
  check_says(text, "ReadVariableOp\" style=\"rounded,filled\"");
  check_says(text, "Const\"]");
}

BOOST_AUTO_TEST_CASE(device_constraints_are_frames) {
  auto x = b.on(ps).named("x").constant(1.0f);
  b.on("/job:worker").named("y").neg(x);
  auto text = to_dot(b.graph());
  check_says(
      text,
      "  subgraph cluster_0 {\n    label=\"/job:ps/task:0/device:CPU:0\"\n"
      "    n0 [label=\"x\\nConst\"]\n  }\n");
  check_says(text, "  subgraph cluster_1 {\n    label=\"/job:worker\"\n");
  check_says(text, "n0 -> n1 [label=\"float32[]\" color=blue]");
}

BOOST_AUTO_TEST_CASE(names_are_drawn_as_they_are) {
  b.named("a\\nb").constant(1.0f);
  RunMetadata metadata;
  metadata.devices.push_back(
      {.device = "\"/job\"\n&lt;", .nodes = {}, .graph = {{.name = "n", .op = "NoOp"}}});
  check_says(to_dot(b.graph()), "n0 [label=\"a\\\\nb\\nConst\"]");
  check_says(*to_dot(metadata), "label=\"\\\"/job\\\"\\n&amp;lt;\"");
}

BOOST_AUTO_TEST_CASE(equal_edges_are_one_arrow) {
  auto x = b.named("x").placeholder(DType::float32, {2});
  b.mul(x, x);
  check_says(to_dot(b.graph()), "n0 -> n1 [label=\"float32[2]\"]\n}");
}

BOOST_AUTO_TEST_CASE(scopes_become_boxes) {
  auto x = b.named("x").placeholder(DType::float32, {2});
  auto layer = b.scope("layer");
  auto y = layer.scope("inner").add(layer.neg(x), layer.reduce_sum(x));
  b.named("y").sub(y, layer.reduce_sum(x));
  auto outer = to_dot(b.graph(), {.scope_depth = 1});
  check_says(outer, "[label=\"layer/\\n6 nodes\" shape=box3d style=\"\"]");
  check_says(outer, "[label=\"2 tensors\"]");
  check_says_not(outer, "inner");
  check_says(outer, "x\\nPlaceholder");
  auto inner = to_dot(b.graph(), {.scope_depth = 2});
  check_says(inner, "layer/inner/\\n1 node\"");
  check_says(inner, "layer/Neg");
}

BOOST_AUTO_TEST_CASE(too_many_boxes_are_cut_with_a_note) {
  auto x = b.named("x").placeholder(DType::float32, {});
  for (int i = 0; i < 4; ++i) x = b.neg(x);
  auto text = to_dot(b.graph(), {.boxes_max = 2});
  check_says(text, "n0 -> n1");
  check_says_not(text, "n2");
  check_says(text, "note [shape=note label=\"Not drawn: 3 more nodes.\\n");
  check_says_not(to_dot(b.graph(), {.boxes_max = 5}), "note");
}

BOOST_AUTO_TEST_CASE(arrows_of_a_step_cross_its_devices) {
  auto x = b.on(ps).named("x").constant(1.0f);
  auto minus = b.on(ps).named("minus").neg(x);
  auto first = b.on(ps).named("first").op("NoOp");
  auto y = b.on(worker).after({first}).named("y").square(minus);
  auto drawn = to_dot(ran({{}, {y.name()}, {}}));
  BOOST_TEST_REQUIRE(drawn.ok(), drawn.status().to_string());
  check_says(*drawn, "  subgraph cluster_0 {\n    label=\"/job:ps/task:0/device:CPU:0\"\n");
  check_says(*drawn, "  subgraph cluster_1 {\n    label=\"/job:worker/task:0/device:CPU:0\"\n");
  check_says(*drawn, "[label=\"float32[]\" color=blue]");
  check_says(*drawn, "[style=dashed color=blue]");
  check_says(*drawn, "_Retval\" shape=oval]");
  for (auto hidden : {"_send", "_recv", "_control"}) check_says_not(*drawn, hidden);
}

BOOST_AUTO_TEST_CASE(a_tensor_from_a_device_that_told_nothing_still_arrives) {
  auto y = b.on(worker).neg(b.on(ps).named("x").constant(1.0f));
  auto metadata = ran({{}, {y.name()}, {}});
  std::erase_if(metadata.devices, [](const DeviceRun& run) { return run.device == ps; });
  auto drawn = to_dot(metadata);
  BOOST_TEST_REQUIRE(drawn.ok());
  check_says(*drawn, "_recv/0\\n_Recv");
}

BOOST_AUTO_TEST_CASE(an_explained_step_has_frames_times_and_the_bytes_that_cross) {
  StepExplanation explanation;
  ExplainedNode x{
      .node = "x", .op = "Const", .device = "a", .inputs = {}, .why = {}, .alternatives = {}};
  ExplainedNode y{
      .node = "y",
      .op = "Neg",
      .device = "b",
      .inputs = {"x:0", "fed:0"},
      .why = {},
      .alternatives = {}};
  y.predicted = std::chrono::microseconds(7);
  y.measured = std::chrono::microseconds(9);
  y.measured_steps = 2;
  explanation.nodes = {x, y};
  explanation.transfers = {{.tensor = "x:0", .from = "a", .to = "b", .bytes = 4000}};
  auto text = to_dot(explanation);
  check_says(text, "subgraph cluster_0 {\n    label=\"a\"");
  check_says(text, "subgraph cluster_1 {\n    label=\"b\"");
  check_says(text, "y\\nNeg\\n7 us (9 us measured)");
  check_says(text, "label=\"x:0 4000 B\" color=blue");
}

BOOST_AUTO_TEST_CASE(a_step_that_cannot_be_drawn_says_why) {
  auto empty = to_dot(RunMetadata{}).status();
  BOOST_TEST((empty.code() == Code::invalid_argument));
  check_says(empty.message(), "output_partition_graphs");
  RunMetadata metadata;
  metadata.devices.push_back(
      {.device = ps, .nodes = {}, .graph = {{.name = "n", .op = "Unheard"}}});
  auto unknown = to_dot(metadata).status();
  check_says(unknown.message(), "Unheard");
  BOOST_TEST(unknown.where().device == ps);
}

BOOST_AUTO_TEST_SUITE_END()
