#include "troupe/graph/passes/fuse_rows.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/graph/passes/unfused_nodes.hpp"

using namespace troupe;

namespace fuse_rows_pass {
namespace {

using Found = std::map<std::string, std::string>;

struct RowsFixture {
  std::vector<NodeDef> nodes;

  void add_arg(const std::string& name, const Shape& shape = Shape::unknown_rank()) {
    auto index = std::ranges::count(nodes, transfer::arg, &NodeDef::op);
    nodes.push_back(
        {.name = name,
         .op = transfer::arg,
         .attrs = {{"T", DType::float32}, {"index", index}, {"shape", shape}}});
  }
  void add(const std::string& name, const std::string& op, std::vector<std::string> inputs) {
    nodes.push_back(
        {.name = name, .op = op, .inputs = std::move(inputs), .attrs = {{"T", DType::float32}}});
  }
  void add_axes(const std::string& name, std::vector<int32_t> axes) {
    auto value = Tensor::of<int32_t>({std::ssize(axes)}, std::span<const int32_t>(axes));
    nodes.push_back(
        {.name = name, .op = "Const", .attrs = {{"dtype", DType::int32}, {"value", value}}});
  }
  void add_reduction(
      const std::string& name, const std::string& op, std::vector<std::string> inputs,
      bool keeps_dims = true) {
    add(name, op, std::move(inputs));
    nodes.back().attrs.insert({{"Tidx", DType::int32}, {"keep_dims", keeps_dims}});
  }
  void add_retval(const std::string& input) {
    auto index = std::ranges::count(nodes, transfer::retval, &NodeDef::op);
    nodes.push_back(
        {.name = "_retval/" + std::to_string(index),
         .op = transfer::retval,
         .inputs = {input},
         .attrs = {{"T", DType::float32}, {"index", index}}});
  }
  /// What layer normalization computes, from an argument x.
  void add_normalization() {
    add_arg("epsilon", Shape());
    add_axes("first_axes", {1});
    add_reduction("mean", "Mean", {"x:0", "first_axes:0"});
    add("same", "StopGradient", {"mean:0"});
    add("squares", "SquaredDifference", {"x:0", "same:0"});
    add_axes("second_axes", {1});
    add_reduction("variance", "Mean", {"squares:0", "second_axes:0"});
    add("sum", "Add", {"variance:0", "epsilon:0"});
    add("factor", "Rsqrt", {"sum:0"});
    add("shift", "Mul", {"mean:0", "factor:0"});
    add("scaled", "Mul", {"x:0", "factor:0"});
    add("result", "Sub", {"scaled:0", "shift:0"});
    add_retval("result:0");
  }

  Graph graph() const {
    Graph made(op_catalog());
    for (const auto& node : nodes) {
      auto added = made.add(node);
      BOOST_TEST_REQUIRE(added.ok(), added.status().to_string());
    }
    return made;
  }
  Graph fused() {
    fuse_elementwise(nodes);
    fuse_rows(nodes);
    return graph();
  }
  /// The parts of each node of rows, by the names of these.
  Found rows() {
    Found found;
    auto made = fused();
    for (const auto& node : made.nodes()) {
      if (node.op->name() != fusion::rows_op) continue;
      auto& text = found[node.name];
      for (const auto& part : fusion::parts_of(node.attrs))
        text += (text.empty() ? "" : " ") + part.name;
    }
    return found;
  }
};

}  // namespace
}  // namespace fuse_rows_pass

using namespace fuse_rows_pass;

BOOST_FIXTURE_TEST_SUITE(fuse_rows_pass_suite, RowsFixture)

BOOST_AUTO_TEST_CASE(a_normalization_becomes_one_node) {
  add_arg("x", {Shape::unknown, 64});
  add_normalization();
  auto made = fused();
  BOOST_REQUIRE(made.contains("result"));
  const auto& node = made.node(*made.find("result"));
  BOOST_TEST(node.op->name() == fusion::rows_op);
  std::vector<fusion::Part> expected = {
      {"mean", "Mean", {0, 2}},
      {"same", "StopGradient", {3}},
      {"squares", "SquaredDifference", {0, 4}},
      {"variance", "Mean", {5, 2}},
      {"sum", "Add", {6, 1}},
      {"factor", "Rsqrt", {7}},
      {"shift", "Mul", {3, 8}},
      {"scaled", "Mul", {0, 8}},
      {"result", "Sub", {10, 9}}};
  BOOST_TEST((fusion::parts_of(node.attrs) == expected));
  BOOST_TEST(made.name_of(node.inputs[0]) == "x:0");
  BOOST_TEST(made.name_of(node.inputs[2]) == "first_axes:0");
  BOOST_TEST((node.output_shapes[0] == Shape{Shape::unknown, 64}));
  BOOST_REQUIRE(node.control_inputs.size() == 1u);
  BOOST_TEST(made.node(node.control_inputs[0]).name == "second_axes");
}

BOOST_AUTO_TEST_CASE(the_nodes_that_rows_are_made_of_are_known_and_given_back) {
  add_arg("x");
  add_normalization();
  auto original = nodes;
  auto made = fused();
  std::string ops;
  for (const auto& node : nodes_of_rows(made.def_of(*made.find("result"))))
    ops += node.op + " " + node.name + ", ";
  BOOST_TEST(
      ops ==
      "Mean mean, StopGradient same, SquaredDifference squares, Mean variance, "
      "_FusedElementwise result, ");
  // The axes of all are those of one.
  for (auto& node : original) {
    if (node.name == "variance") node.inputs[1] = "first_axes:0";
    if (node.name == "result") node.inputs.push_back("^second_axes");
  }
  auto by_name = [](const NodeDef& x, const NodeDef& y) { return x.name < y.name; };
  auto given_back = unfused_nodes(made);
  std::ranges::sort(original, by_name);
  std::ranges::sort(given_back, by_name);
  BOOST_TEST((given_back == original));
}

BOOST_AUTO_TEST_CASE(what_is_used_elsewhere_stays_a_node) {
  add_arg("x");
  add_normalization();
  add_retval("mean:0");
  add_retval("factor:0");
  BOOST_TEST((rows() == Found{{"factor", "same squares variance sum factor"}}));
}

BOOST_AUTO_TEST_CASE(only_constant_axes_that_are_the_same_are_fused) {
  add_arg("x");
  add_axes("one", {1});
  add_axes("zero", {0});
  nodes.push_back(
      {.name = "given",
       .op = transfer::arg,
       .attrs = {{"T", DType::int32}, {"index", 9}, {"shape", Shape{1}}}});
  add_reduction("a", "Max", {"x:0", "given:0"});
  add("a_last", "Sub", {"x:0", "a:0"});
  add_reduction("b", "Max", {"x:0", "zero:0"});
  add("b_shifted", "Sub", {"x:0", "b:0"});
  add_reduction("b_sum", "Sum", {"b_shifted:0", "one:0"});
  add("b_last", "Sub", {"b_shifted:0", "b_sum:0"});
  add_retval("a_last:0");
  add_retval("b_last:0");
  // b_shifted is not only used in front of what fits.
  BOOST_TEST((rows() == Found{{"b_last", "b_shifted b_sum b_last"}}));
}

BOOST_AUTO_TEST_CASE(only_the_last_may_drop_what_it_reduces) {
  add_arg("x");
  add_axes("axes", {1});
  add("square", "Square", {"x:0"});
  add_reduction("sum", "Sum", {"square:0", "axes:0"}, /*keeps_dims=*/false);
  add("root", "Sqrt", {"sum:0"});
  add_retval("root:0");
  BOOST_TEST((rows() == Found{{"sum", "square sum"}}));
  auto made = graph();
  BOOST_TEST(made.node(*made.find("sum")).attr<bool>("keep_dims") == false);
}

BOOST_AUTO_TEST_CASE(reductions_that_nothing_is_computed_around_stay_nodes) {
  add_arg("x");
  add_axes("axes", {1});
  add_reduction("mean", "Mean", {"x:0", "axes:0"});
  add("same", "StopGradient", {"mean:0"});
  add_reduction("most", "Max", {"same:0", "axes:0"});
  add_retval("most:0");
  BOOST_TEST(rows().empty());
}

BOOST_AUTO_TEST_CASE(nodes_that_are_no_graph_stay_what_they_are) {
  add_reduction("a", "Mean", {"b:0", "c:0"});
  add("b", "Neg", {"a:0"});
  add_axes("c", {1});
  add_reduction("d", "Mean", {"a:0"});
  add("e", "Sub", {"a:0", "d:0"});
  add_reduction("f", "Mean", {"e:0", "c:0", "c:0"});
  nodes.push_back({.name = "g", .op = fusion::op, .inputs = {"f:0"}, .attrs = {{"T", 3}}});
  nodes.push_back(
      {.name = "h",
       .op = fusion::op,
       .inputs = {"f:0"},
       .attrs = fusion::to_attrs({{"h", "Neg", {1}}}, DType::float32, 2)});
  nodes.push_back({.name = "i", .op = "Const"});
  add_reduction("j", "Mean", {"h:0", "i:0"});
  add("k", "Sub", {"h:0", "j:0"});
  auto original = nodes;
  fuse_rows(nodes);
  BOOST_TEST((nodes == original));
}

BOOST_AUTO_TEST_CASE(a_node_of_rows_of_a_peer_is_checked) {
  add_arg("x", {2, 64});
  add_axes("axes", {1});
  auto made = graph();
  auto refused = [&](std::vector<fusion::Part> parts, std::vector<int64_t> node_ends) {
    auto attrs = fusion::to_attrs(parts, DType::float32, 1);
    attrs.insert(
        {{"Tidx", DType::int32}, {"keep_dims", true}, {"node_ends", std::move(node_ends)}});
    auto added = made.add(
        {.name = "rows", .op = fusion::rows_op, .inputs = {"x:0", "axes:0"}, .attrs = attrs});
    return added.ok() ? std::string("added") : added.status().message();
  };
  const std::string axes = "a fused node takes its axes for a value";
  const std::string ends = "a fused node needs nodes that its parts were of";
  std::vector<fusion::Part> parts = {{"a", "Sum", {0, 1}}, {"b", "Sub", {0, 2}}};
  BOOST_TEST(refused({{"a", "Neg", {1}}}, {1}) == axes);
  BOOST_TEST(refused({{"a", "Sum", {1, 1}}}, {1}) == axes);
  BOOST_TEST(refused({{"a", "Sum", {0, 0}}}, {1}) == axes);
  BOOST_TEST(refused(parts, {}) == ends);
  BOOST_TEST(refused(parts, {0, 2}) == ends);
  BOOST_TEST(refused(parts, {1, 1, 2}) == ends);
  BOOST_TEST(refused(parts, {1, 3}) == ends);
  BOOST_TEST(refused(parts, {1, 2}) == "added");
}

BOOST_AUTO_TEST_SUITE_END()
