#include "troupe/graph/passes/fuse_elementwise.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/unfused_nodes.hpp"

using namespace troupe;

namespace fuse_elementwise_pass {
namespace {

struct FuseFixture {
  std::vector<NodeDef> nodes;

  void add_arg(const std::string& name, DType dtype = DType::float32) {
    auto index = std::ranges::count(nodes, transfer::arg, &NodeDef::op);
    nodes.push_back({.name = name, .op = transfer::arg, .attrs = {{"T", dtype}, {"index", index}}});
  }
  void add(
      const std::string& name, const std::string& op, std::vector<std::string> inputs,
      DType dtype = DType::float32) {
    nodes.push_back({.name = name, .op = op, .inputs = std::move(inputs), .attrs = {{"T", dtype}}});
  }
  void add_retval(const std::string& input) {
    auto index = std::ranges::count(nodes, transfer::retval, &NodeDef::op);
    nodes.push_back(
        {.name = "_retval/" + std::to_string(index),
         .op = transfer::retval,
         .inputs = {input},
         .attrs = {{"T", DType::float32}, {"index", index}}});
  }

  /// The partition with its fused nodes, as a graph that a device has checked.
  Graph fused() {
    fuse_elementwise(nodes);
    Graph graph(op_catalog());
    for (const auto& node : nodes) {
      auto added = graph.add(node);
      BOOST_TEST_REQUIRE(added.ok(), added.status().to_string());
    }
    return graph;
  }
  /// "Neg a, Add b" for each fused node, by the names of the fused nodes.
  std::map<std::string, std::string> parts() {
    auto graph = fused();
    std::map<std::string, std::string> found;
    for (const auto& node : graph.nodes()) {
      if (node.op->name() != fusion::op) continue;
      auto& text = found[node.name];
      for (const auto& part : fusion::parts_of(node.attrs))
        text += (text.empty() ? "" : ", ") + part.op + " " + part.name;
    }
    return found;
  }
};

using Found = std::map<std::string, std::string>;

}  // namespace
}  // namespace fuse_elementwise_pass

using namespace fuse_elementwise_pass;

BOOST_FIXTURE_TEST_SUITE(fuse_elementwise_pass_suite, FuseFixture)

BOOST_AUTO_TEST_CASE(a_chain_becomes_one_node_with_the_name_of_its_last) {
  add_arg("x");
  add_arg("y");
  add("product", "Mul", {"x:0", "y:0"});
  add("sum", "Add", {"product", "x:0"});
  add("result", "Relu", {"sum:0"});
  add_retval("result:0");
  auto graph = fused();
  BOOST_REQUIRE(graph.contains("result"));
  const auto& node = graph.node(*graph.find("result"));
  BOOST_TEST(node.op->name() == fusion::op);
  BOOST_TEST(graph.size() == 4);
  std::vector<fusion::Part> expected = {
      {"product", "Mul", {0, 1}}, {"sum", "Add", {2, 0}}, {"result", "Relu", {3}}};
  BOOST_TEST(graph.name_of(node.inputs[0]) == "x:0");
  BOOST_TEST(graph.name_of(node.inputs[1]) == "y:0");
  BOOST_TEST((fusion::parts_of(node.attrs) == expected));
}

BOOST_AUTO_TEST_CASE(what_is_fetched_or_sent_or_used_elsewhere_stays_a_node) {
  add_arg("x");
  add("a", "Neg", {"x:0"});
  add("b", "Exp", {"a:0"});
  add("c", "Log", {"b:0"});
  add("shape", "Shape", {"c:0"});
  add("d", "Abs", {"c:0"});
  add("e", "Sqrt", {"d:0"});
  add_retval("a:0");
  add_retval("e:0");
  BOOST_TEST((parts() == Found{{"c", "Exp b, Log c"}, {"e", "Abs d, Sqrt e"}}));
}

BOOST_AUTO_TEST_CASE(a_node_that_others_wait_for_stays_and_a_fused_one_waits_for_all) {
  add_arg("x");
  nodes.push_back({.name = "first", .op = "NoOp"});
  nodes.push_back({.name = "second", .op = "NoOp"});
  add("a", "Neg", {"x:0"});
  add("b", "Exp", {"a:0", "^first"});
  add("c", "Log", {"b:0", "^second"});
  nodes.push_back({.name = "later", .op = "NoOp", .inputs = {"^a"}});
  add_retval("c:0");
  auto graph = fused();
  const auto& node = graph.node(*graph.find("c"));
  BOOST_TEST(node.op->name() == fusion::op);
  BOOST_TEST(fusion::parts_of(node.attrs).size() == 2u);
  std::vector<std::string> waits;
  for (auto input : node.control_inputs) waits.push_back(graph.node(input).name);
  BOOST_TEST((waits == std::vector<std::string>{"first", "second"}));
}

BOOST_AUTO_TEST_CASE(branches_that_meet_again_become_one_node) {
  add_arg("x");
  add("a", "Tanh", {"x:0"});
  add("square", "Mul", {"a:0", "a:0"});
  add("half", "Neg", {"a:0"});
  add("sum", "Add", {"square:0", "half:0"});
  add_retval("sum:0");
  BOOST_TEST((parts() == Found{{"sum", "Tanh a, Mul square, Neg half, Add sum"}}));
}

BOOST_AUTO_TEST_CASE(only_ops_of_one_floating_dtype_and_known_attributes_are_fused) {
  add_arg("x");
  add_arg("i", DType::int32);
  add_arg("bias");
  add("i1", "Neg", {"i:0"}, DType::int32);
  add("i2", "Abs", {"i1:0"}, DType::int32);
  nodes.push_back(
      {.name = "as_float",
       .op = "Cast",
       .inputs = {"i2:0"},
       .attrs = {{"SrcT", DType::int32}, {"DstT", DType::float32}}});
  for (const std::string format : {"NHWC", "NCHW"}) {
    nodes.push_back(
        {.name = format,
         .op = "BiasAdd",
         .inputs = {"x:0", "bias:0"},
         .attrs = {{"T", DType::float32}, {"data_format", format}, {"_tag", "any"}}});
    add(format + "_relu", "Relu", {format + ":0"});
  }
  add("sum", "AddN", {"as_float:0"});
  nodes.back().attrs["N"] = 1;
  add("after", "Neg", {"sum:0"});
  add_retval("after:0");
  BOOST_TEST((parts() == Found{{"NHWC_relu", "BiasAdd NHWC, Relu NHWC_relu"}}));
}

BOOST_AUTO_TEST_CASE(a_long_chain_becomes_nodes_of_bounded_size) {
  add_arg("x");
  std::string last = "x";
  for (size_t i = 0; i < 3 * fusion::parts_max; ++i)
    add(std::exchange(last, "n" + std::to_string(i)) == "x" ? last : last, "Neg",
        {i == 0 ? "x:0" : "n" + std::to_string(i - 1) + ":0"});
  add_retval(last + ":0");
  BOOST_TEST(fused().size() == 5);
}

BOOST_AUTO_TEST_CASE(the_nodes_that_were_fused_are_given_back) {
  add_arg("x");
  nodes.back().attrs["shape"] = Shape::unknown_rank();
  nodes.push_back({.name = "first", .op = "NoOp"});
  add("a", "Neg", {"x:0"});
  add("b", "Mul", {"a:0", "x:0"});
  add("c", "Log", {"b:0", "^first"});
  add_retval("c:0");
  auto original = nodes;
  BOOST_TEST((unfused_nodes(fused()) == original));
}

BOOST_AUTO_TEST_CASE(nodes_that_are_no_graph_stay_what_they_are) {
  add("a", "Neg", {"b:0"});
  add("b", "Neg", {"a:0"});
  add("c", "Log", {"c:0"});
  add("d", "Add", {"missing:0"});
  add("e", "Add", {"d:0", "d:7"});
  add("f", "Add", {"e:0", "^e", "d:0"});
  add("", "", {""});
  nodes.push_back({.name = "g", .op = "Neg", .inputs = {"f:0"}, .attrs = {{"T", 3}}});
  auto original = nodes;
  fuse_elementwise(nodes);
  BOOST_TEST((nodes == original));

  nodes.clear();
  add_arg("x");
  add("twice", "Neg", {"x:0"});
  add("twice", "Exp", {"x:0"});
  add("last", "Log", {"twice:0"});
  original = nodes;
  fuse_elementwise(nodes);
  BOOST_TEST((nodes == original));
}

BOOST_AUTO_TEST_CASE(a_fused_node_of_a_peer_is_checked) {
  Graph graph(op_catalog());
  BOOST_REQUIRE(graph
                    .add(
                        {.name = "x",
                         .op = transfer::arg,
                         .attrs = {{"T", DType::float32}, {"index", 0}, {"shape", Shape{2, 3}}}})
                    .ok());
  auto refused = [&](std::vector<std::string> names, std::vector<std::string> ops,
                     std::vector<int64_t> operands) {
    auto added = graph.add(
        {.name = "fused",
         .op = fusion::op,
         .inputs = {"x:0"},
         .attrs = {
             {"T", DType::float32},
             {"names", std::move(names)},
             {"ops", std::move(ops)},
             {"operands", std::move(operands)}}});
    return added.ok() ? std::string("added") : added.status().message();
  };
  const std::string count = "a fused node needs 1 to 64 ops, and a name for each";
  const std::string operands = "a fused node needs operands that are inputs or earlier parts";
  BOOST_TEST(refused({}, {}, {}) == count);
  BOOST_TEST(refused({"a"}, {"Neg", "Neg"}, {0, 1}) == count);
  std::vector<std::string> many(65, "Neg");
  BOOST_TEST(refused(many, many, std::vector<int64_t>(65, 0)) == count);
  BOOST_TEST(
      refused({"a"}, {"MatMul"}, {0, 0}) == "a fused node cannot have a part of op 'MatMul'");
  BOOST_TEST(refused({"a"}, {"Neg"}, {1}) == operands);
  BOOST_TEST(refused({"a"}, {"Neg"}, {-1}) == operands);
  BOOST_TEST(refused({"a"}, {"Mul"}, {0}) == operands);
  BOOST_TEST(
      refused({"a"}, {"Neg"}, {0, 0}) == "a fused node has more operands than its parts take");
  BOOST_TEST(refused({"a", "b"}, {"Neg", "Mul"}, {0, 1, 0}) == "added");
  BOOST_TEST((graph.node(*graph.find("fused")).output_shapes[0] == Shape{2, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
