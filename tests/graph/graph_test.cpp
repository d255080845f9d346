#include <boost/test/unit_test.hpp>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

namespace {

/// A graph with the nodes x and y (float32[2,3]) and flag (bool).
struct GraphFixture {
  Graph graph{op_catalog()};

  GraphFixture() {
    auto placeholder = [this](const char* name, DType dtype, Shape shape) {
      BOOST_TEST(add(name, "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}) == "");
    };
    placeholder("x", DType::float32, {2, 3});
    placeholder("y", DType::float32, {2, 3});
    placeholder("flag", DType::boolean, {});
  }

  /// Why the node cannot be added; empty if it can. A refused node leaves no trace.
  std::string add(
      const std::string& name, const std::string& op, std::vector<std::string> inputs,
      Attrs attrs = {}) {
    auto size = graph.size();
    auto id = graph.add({.name = name, .op = op, .device = "", .inputs = inputs, .attrs = attrs});
    BOOST_TEST(graph.size() == size + id.ok());
    if (id) return "";
    BOOST_TEST(id.status().where().node == name);
    BOOST_TEST(id.status().where().op == op);
    return id.status().message();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(graph, GraphFixture)

BOOST_AUTO_TEST_CASE(a_node_is_complete_once_it_is_added) {
  BOOST_TEST(add("sum", "AddN", {"x", "y:0", "x"}) == "");
  const auto& node = graph.node(*graph.find("sum"));
  BOOST_TEST(node.attr<int64_t>("N") == 3);
  BOOST_TEST((node.attr<DType>("T") == DType::float32));
  BOOST_TEST((node.output_dtypes == DTypes{DType::float32}));
  BOOST_TEST(node.output_shapes[0].to_string() == "[2,3]");
  BOOST_TEST(add("product", "MatMul", {"x", "y"}, {{"transpose_b", true}}) == "");
  BOOST_TEST(!graph.node(*graph.find("product")).attr<bool>("transpose_a"));
}

BOOST_AUTO_TEST_CASE(an_op_must_exist) {
  BOOST_TEST(add("z", "Ad", {"x", "y"}) == "there is no op 'Ad'; did you mean 'Add'?");
}

BOOST_AUTO_TEST_CASE(inputs_have_the_dtypes_that_the_op_asks_for) {
  BOOST_TEST(add("z", "Add", {"x", "flag"}) == "input 'y' must be float32, not bool");
  BOOST_TEST(add("z", "LogicalNot", {"x"}) == "input 'x' must be bool, not float32");
  BOOST_TEST(
      add("z", "Sigmoid", {"flag"}) ==
      "attribute 'T' must be one of float16, bfloat16, float32, float64, complex64, complex128, "
      "not "
      "bool");
  BOOST_TEST(
      add("z", "Add", {"x", "y"}, {{"T", DType::int32}}) == "input 'x' must be int32, not float32");
}

BOOST_AUTO_TEST_CASE(inputs_are_as_many_as_the_op_takes) {
  BOOST_TEST(add("z", "Add", {"x"}) == "op Add takes the inputs (x, y), but 1 were given");
  BOOST_TEST(add("z", "Neg", {"x", "y"}) == "op Neg takes the inputs (x), but 2 were given");
  BOOST_TEST(
      add("z", "AddN", {"x", "y"}, {{"N", 3}}) ==
      "op AddN takes the inputs (inputs), but 2 were given");
  BOOST_TEST(
      add("z", "AddN", {"x", "y"}, {{"N", 1}}) ==
      "op AddN takes the inputs (inputs), but 2 were given");
  BOOST_TEST(add("z", "AddN", {"x"}, {{"N", -5}}) == "attribute 'N' must be at least 1, not -5");
  BOOST_TEST(add("z", "ConcatV2", {"x"}) == "attribute 'N' must be at least 2, not 0");
}

BOOST_AUTO_TEST_CASE(attributes_are_those_of_the_op) {
  BOOST_TEST(add("z", "Placeholder", {}) == "op Placeholder needs the attribute 'dtype'");
  BOOST_TEST(add("z", "Neg", {"x"}, {{"axis", 1}}) == "op Neg has no attribute 'axis'");
  BOOST_TEST(
      add("z", "MatMul", {"x", "y"}, {{"transpose_a", 1}}) ==
      "attribute 'transpose_a' must be of type bool, not 1");
  BOOST_TEST(add("z", "Neg", {"x"}, {{"_note", "kept"}}) == "");
}

BOOST_AUTO_TEST_CASE(shapes_must_fit) {
  BOOST_TEST(
      add("z", "MatMul", {"x", "y"}) ==
      "the inner sizes must agree, but are 3 of a[2,3] and 2 of b[2,3]");
}

BOOST_AUTO_TEST_CASE(names_are_new_and_well_formed) {
  BOOST_TEST(add("x", "Neg", {"y"}) == "the graph has a node 'x' already");
  for (auto name : {"", "a b", "/a", "^a", "a:0"})
    BOOST_TEST(
        add(name, "Neg", {"x"}) == "'" + std::string(name) +
                                       "' is no name for a node: letters, digits and _ . - / are "
                                       "allowed");
  BOOST_TEST(add("scope/a-b.c_1", "Neg", {"x"}) == "");
}

BOOST_AUTO_TEST_CASE(inputs_name_outputs_that_exist) {
  BOOST_TEST(add("z", "Neg", {"flog"}) == "the graph has no node 'flog'; did you mean 'flag'?");
  BOOST_TEST(
      add("z", "Neg", {"x:1"}) == "there is no output 'x:1': node 'x' (Placeholder) has 1 outputs");
  for (auto input : {"x:", "x:-1", "x:a", "x:0:0", "x:99999999999"})
    BOOST_TEST(add("z", "Neg", {input}) != "", input);
  BOOST_TEST(add("z", "Neg", {"z"}) == "the graph has no node 'z'");
}

BOOST_AUTO_TEST_CASE(control_inputs_come_last_and_need_no_output) {
  BOOST_TEST(add("nothing", "NoOp", {"^x"}) == "");
  BOOST_TEST(add("z", "Neg", {"x", "^nothing", "^y"}) == "");
  BOOST_TEST(graph.node(*graph.find("z")).control_inputs.size() == 2);
  BOOST_TEST(add("w", "Neg", {"^nothing", "x"}) == "input 'x' comes after a control input");
  BOOST_TEST(add("w", "Neg", {"x", "^nobody"}) == "the graph has no node 'nobody'");
  BOOST_TEST(
      add("w", "Neg", {"nothing"}) ==
      "there is no output 'nothing': node 'nothing' (NoOp) has 0 outputs");
}

BOOST_AUTO_TEST_CASE(a_definition_builds_the_same_node_again) {
  BOOST_TEST(add("z", "MatMul", {"x", "y", "^flag"}, {{"transpose_a", true}}) == "");
  Graph again(graph.shared_catalog());
  for (const auto& node : graph.nodes()) BOOST_TEST(again.add(graph.def_of(node.id)).ok());
  const auto& node = again.node(*again.find("z"));
  BOOST_TEST(node.attr<bool>("transpose_a"));
  BOOST_TEST(node.control_inputs.size() == 1);
  BOOST_TEST(node.output_shapes[0].to_string() == "[3,3]");
}

BOOST_AUTO_TEST_CASE(values_of_shapes_are_known_while_building) {
  auto value = [this](const char* name) {
    auto known = graph.constant_value(*graph.find_output(name));
    return known ? known->to_string() : "open";
  };
  BOOST_TEST(add("shape", "Shape", {"x"}, {{"out_type", DType::int64}}) == "");
  BOOST_TEST(add("rank", "Rank", {"x"}) == "");
  BOOST_TEST(add("size", "Size", {"x"}) == "");
  BOOST_TEST(add("pack", "Pack", {"rank", "size"}) == "");
  BOOST_TEST(add("range", "Range", {"rank", "size", "rank"}) == "");
  BOOST_TEST(value("shape") == "int64[2] [2 3]");
  BOOST_TEST(value("rank") == "int32[] [2]");
  BOOST_TEST(value("size") == "int32[] [6]");
  BOOST_TEST(value("pack") == "int32[2] [2 6]");
  BOOST_TEST(value("range") == "int32[2] [2 4]");
  BOOST_TEST(value("x") == "open");
}

BOOST_AUTO_TEST_CASE(small_integers_are_computed_while_building) {
  auto value = [this](const char* name) {
    auto known = graph.constant_value(*graph.find_output(name));
    return known ? known->to_string() : "open";
  };
  auto constant = [this](const char* name, Tensor tensor) {
    auto dtype = tensor.dtype();
    return add(name, "Const", {}, {{"value", std::move(tensor)}, {"dtype", dtype}});
  };
  BOOST_TEST(constant("one", Tensor::of<int32_t>({1}, {1})) == "");
  BOOST_TEST(constant("two", Tensor::of<int32_t>({1}, {2})) == "");
  BOOST_TEST(constant("axis", Tensor::scalar<int32_t>(0)) == "");
  BOOST_TEST(constant("minus", Tensor::of<int32_t>({3}, {-7, 7, 2})) == "");
  BOOST_TEST(constant("most", Tensor::of<int32_t>({1}, {2147483647})) == "");
  BOOST_TEST(add("shape", "Shape", {"x"}) == "");
  BOOST_TEST(add("joined", "ConcatV2", {"shape", "one", "axis"}) == "");
  BOOST_TEST(add("tail", "StridedSlice", {"joined", "one", "two", "one"}, {{"end_mask", 1}}) == "");
  BOOST_TEST(add("cut", "Slice", {"joined", "one", "two"}) == "");
  BOOST_TEST(add("product", "Prod", {"joined", "axis"}) == "");
  BOOST_TEST(add("wide", "Cast", {"product"}, {{"DstT", DType::int64}}) == "");
  BOOST_TEST(add("down", "FloorDiv", {"minus", "two"}) == "");
  BOOST_TEST(add("rest", "FloorMod", {"minus", "two"}) == "");
  BOOST_TEST(add("picked", "GatherV2", {"minus", "two", "axis"}) == "");
  BOOST_TEST(add("too_much", "Add", {"most", "one"}) == "");
  BOOST_TEST(value("joined") == "int32[3] [2 3 1]");
  BOOST_TEST(value("tail") == "int32[2] [3 1]");
  BOOST_TEST(value("cut") == "int32[2] [3 1]");
  BOOST_TEST(value("wide") == "int64[] [6]");
  BOOST_TEST(value("down") == "int32[3] [-4 3 1]");
  BOOST_TEST(value("rest") == "int32[3] [1 1 0]");
  BOOST_TEST(value("picked") == "int32[1] [2]");
  BOOST_TEST(value("too_much") == "open");
}

BOOST_AUTO_TEST_CASE(parts_and_arrangements_of_sizes_are_known_while_building) {
  auto value = [this](const std::string& name) {
    auto known = graph.constant_value(*graph.find_output(name));
    return known ? known->to_string() : "open";
  };
  auto constant = [this](const char* name, Tensor tensor) {
    auto dtype = tensor.dtype();
    return add(name, "Const", {}, {{"value", std::move(tensor)}, {"dtype", dtype}});
  };
  BOOST_TEST(constant("axis", Tensor::scalar<int32_t>(0)) == "");
  BOOST_TEST(constant("axes", Tensor::of<int32_t>({1}, {0})) == "");
  BOOST_TEST(constant("two", Tensor::of<int32_t>({1}, {2})) == "");
  BOOST_TEST(constant("four", Tensor::of<int32_t>({4}, {5, -1, 0, 3})) == "");
  BOOST_TEST(constant("parts", Tensor::of<int32_t>({2}, {1, -1})) == "");
  BOOST_TEST(constant("huge", Tensor::of<int64_t>({4}, {0, 1, -1, 2})) == "");
  BOOST_TEST(constant("times", Tensor::scalar(std::numeric_limits<int64_t>::max())) == "");
  BOOST_TEST(add("shape", "Shape", {"x"}) == "");
  BOOST_TEST(add("each", "Unpack", {"shape"}, {{"num", 2}}) == "");
  BOOST_TEST(add("halves", "Split", {"axis", "four"}, {{"num_split", 2}}) == "");
  BOOST_TEST(add("pieces", "SplitV", {"four", "parts", "axis"}, {{"num_split", 2}}) == "");
  BOOST_TEST(add("reverse", "ReverseV2", {"four", "axes"}) == "");
  BOOST_TEST(add("tile", "Tile", {"shape", "two"}) == "");
  BOOST_TEST(add("squares", "Pow", {"four", "two"}) == "");
  BOOST_TEST(add("powers", "Pow", {"huge", "times"}) == "");
  BOOST_TEST(value("each:1") == "int32[] [3]");
  BOOST_TEST(value("halves:1") == "int32[2] [0 3]");
  BOOST_TEST(value("pieces:0") == "int32[1] [5]");
  BOOST_TEST(value("pieces:1") == "int32[3] [-1 0 3]");
  BOOST_TEST(value("reverse") == "int32[4] [3 0 -1 5]");
  BOOST_TEST(value("tile") == "int32[4] [2 3 2 3]");
  BOOST_TEST(value("squares") == "int32[4] [25 1 0 9]");
  BOOST_TEST(value("powers") == "open");
}

BOOST_AUTO_TEST_CASE(shapes_are_known_as_far_as_their_sizes_are) {
  auto shape = [this](const char* name) {
    return graph.constant_value_as_shape(*graph.find_output(name)).to_string();
  };
  BOOST_TEST(
      add("partly", "Placeholder", {}, {{"dtype", DType::float32}, {"shape", Shape{-1, 3}}}) == "");
  auto one = Tensor::of<int32_t>({1}, {1});
  BOOST_TEST(add("one", "Const", {}, {{"value", one}, {"dtype", DType::int32}}) == "");
  auto zero = Tensor::scalar<int32_t>(0);
  BOOST_TEST(add("zero", "Const", {}, {{"value", zero}, {"dtype", DType::int32}}) == "");
  BOOST_TEST(add("sizes", "Shape", {"partly"}) == "");
  BOOST_TEST(add("joined", "ConcatV2", {"sizes", "one", "zero"}) == "");
  BOOST_TEST(add("twice", "Add", {"joined", "joined"}) == "");
  BOOST_TEST(add("tiled", "Tile", {"y", "sizes"}) == "");
  BOOST_TEST(shape("sizes") == "[?,3]");
  BOOST_TEST(shape("joined") == "[?,3,1]");
  BOOST_TEST(shape("twice") == "[?,6,2]");
  auto tiled = graph.shape_of(*graph.find_output("tiled"));
  BOOST_TEST(tiled.to_string() == "[?,9]");
}

BOOST_AUTO_TEST_CASE(sizes_of_outside_are_known_in_a_loop_and_a_branch) {
  auto shape = [this](const char* name) {
    return graph.constant_value_as_shape(*graph.find_output(name)).to_string();
  };
  BOOST_TEST(add("shape", "Shape", {"x"}) == "");
  BOOST_TEST(add("test", "Placeholder", {}, {{"dtype", DType::boolean}, {"shape", Shape{}}}) == "");
  BOOST_TEST(add("enter", "Enter", {"shape"}, {{"frame_name", "f"}, {"is_constant", true}}) == "");
  BOOST_TEST(add("start", "Enter", {"shape"}, {{"frame_name", "f"}}) == "");
  BOOST_TEST(add("merge", "Merge", {"start", "start"}) == "");
  BOOST_TEST(add("switch", "Switch", {"shape", "test"}) == "");
  BOOST_TEST(shape("enter") == "[2,3]");
  BOOST_TEST(shape("switch:1") == "[2,3]");
  BOOST_TEST(shape("merge") == "[?,?]");
}

BOOST_AUTO_TEST_CASE(a_long_chain_of_integers_is_not_followed_to_its_end) {
  auto one = Tensor::of<int32_t>({1}, {1});
  BOOST_TEST(add("n0", "Const", {}, {{"value", one}, {"dtype", DType::int32}}) == "");
  for (int i = 0; i < 200; ++i) {
    auto before = "n" + std::to_string(i);
    BOOST_TEST_REQUIRE(add("n" + std::to_string(i + 1), "Add", {before, before}) == "");
  }
  BOOST_TEST(graph.constant_value(*graph.find_output("n4"))->to_string() == "int32[1] [16]");
  BOOST_TEST(!graph.constant_value(*graph.find_output("n200")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
