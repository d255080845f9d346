#include <boost/test/unit_test.hpp>

#include <set>

#include "troupe/graph/build/gradients.hpp"

namespace troupe {

namespace {

struct GradientsFixture {
  static constexpr auto unknown = Shape::unknown;

  Builder b;

  Value floats(const Shape& shape) { return b.placeholder(DType::float32, shape); }

  /// The derivatives of y, which there must be.
  Values derivatives(const Value& y, const Values& xs) {
    auto made = gradients(b, {y}, xs);
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().to_string());
    return *made;
  }

  Status error(const Value& y, const Value& x) { return gradients(b, {y}, {x}).status(); }

  /// The ops of the nodes that a step would run for `values`, without those that were there before
  /// `from`; sorted, with one space between.
  std::string ops_of(const Values& values, NodeId from) const {
    std::vector<NodeId> pending;
    for (const auto& value : values) pending.push_back(value.output().node);
    std::set<NodeId> seen;
    std::multiset<std::string> names;
    while (!pending.empty()) {
      auto id = pending.back();
      pending.pop_back();
      if (id < from || !seen.insert(id).second) continue;
      const auto& node = b.graph().node(id);
      names.insert(node.op->name());
      for (auto input : node.inputs) pending.push_back(input.node);
    }
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }

  /// The ops of the nodes that dy/dx needs besides those of y.
  std::string ops_of_derivative(const Value& y, const Value& x) {
    auto from = b.graph().size();
    return ops_of(derivatives(y, {x}), from);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(gradients_of_graphs, GradientsFixture)

BOOST_AUTO_TEST_CASE(a_product_needs_two_products) {
  auto x = floats({unknown, 4}), w = floats({4, 5});
  auto y = b.matmul(x, w);
  auto from = b.graph().size();
  auto made = derivatives(y, {x, w});
  BOOST_TEST(ops_of(made, from) == "MatMul MatMul OnesLike");
  BOOST_TEST(made[0].shape().to_string() == "[?,4]");
  BOOST_TEST(made[1].shape().to_string() == "[4,5]");
}

BOOST_AUTO_TEST_CASE(transposed_products_have_derivatives_of_their_shapes) {
  for (bool transpose_a : {false, true})
    for (bool transpose_b : {false, true}) {
      auto x = floats(transpose_a ? Shape{3, 2} : Shape{2, 3});
      auto w = floats(transpose_b ? Shape{5, 3} : Shape{3, 5});
      auto made = derivatives(b.matmul(x, w, {transpose_a, transpose_b}), {x, w});
      BOOST_TEST((made[0].shape() == x.shape()));
      BOOST_TEST((made[1].shape() == w.shape()));
    }
}

BOOST_AUTO_TEST_CASE(a_training_step_takes_few_nodes) {
  auto x = floats({unknown, 64});
  auto labels = b.placeholder(DType::int64, {unknown});
  auto w1 = floats({64, 32}), b1 = floats({32}), w2 = floats({32, 10}), b2 = floats({10});
  auto hidden = b.relu(b.op("BiasAdd", {b.matmul(x, w1), b1}));
  auto logits = b.op("BiasAdd", {b.matmul(hidden, w2), b2});
  auto loss = b.reduce_mean(b.sparse_softmax_cross_entropy(labels, logits));
  auto from = b.graph().size();
  auto made = derivatives(loss, {w1, b1, w2, b2});
  BOOST_TEST(
      ops_of(made, from) ==
      "BiasAddGrad BiasAddGrad BroadcastTo Cast Const Const ExpandDims MatMul MatMul MatMul Mul "
      "RealDiv ReluGrad Shape Size");
  BOOST_TEST(b.graph().size() - from == 15, "unused nodes were added");
  BOOST_TEST(made[0].shape().to_string() == "[64,32]");
  BOOST_TEST(made[1].shape().to_string() == "[32]");
}

BOOST_AUTO_TEST_CASE(broadcasting_is_undone_by_what_the_shapes_tell) {
  auto x = floats({unknown, 3});
  auto of = [&](Shape shape) {
    auto y = floats(shape);
    return ops_of_derivative(x + y, y);
  };
  BOOST_TEST(of({unknown, 3}) == "BroadcastGradientArgs OnesLike Reshape Shape Shape Sum");
  for (const auto& shape : Shapes{{3}, {1, 3}, {}, {1}, {1, 1, 3}})
    BOOST_TEST(of(shape) == "Const Const OnesLike Reshape Sum", shape.to_string());
  auto known = floats({2, 3});
  BOOST_TEST(ops_of_derivative(known + floats({2, 3}), known) == "Const Const Fill");
  BOOST_TEST(ops_of_derivative(x + floats({3}), x) == "OnesLike");
  BOOST_TEST(ops_of_derivative(x * 2.0, x) == "Mul OnesLike");
  BOOST_TEST(ops_of_derivative(x + x, x) == "AddN OnesLike");
}

BOOST_AUTO_TEST_CASE(a_broadcast_of_unknown_sizes_is_summed_as_the_step_finds) {
  auto x = floats({unknown, 3});
  auto y = b.op("BroadcastTo", {x, b.ints({5, 3})});
  BOOST_TEST(
      ops_of_derivative(y, x) == "BroadcastGradientArgs Const Const Const Fill Reshape Shape Sum");
}

BOOST_AUTO_TEST_CASE(reductions_spread_their_gradients) {
  auto x = floats({unknown, 3});
  BOOST_TEST(ops_of_derivative(b.reduce_sum(x), x) == "BroadcastTo Const Shape");
  BOOST_TEST(
      ops_of_derivative(b.reduce_sum(x, {1}), x) == "BroadcastTo Const ExpandDims OnesLike Shape");
  BOOST_TEST(
      ops_of_derivative(b.reduce_mean(x, {1}, /*keep_dims=*/true), x) ==
      "BroadcastTo Const OnesLike RealDiv Shape");
  for (auto name : {"Sum", "Mean", "Max", "Min", "Prod"})
    for (auto axes : {std::vector<int32_t>{0}, {1}, {0, 1}, {}}) {
      auto y = b.op(name, {x, b.ints(axes)});
      BOOST_TEST(derivatives(y, {x})[0].shape().is_compatible_with({7, 3}), name);
    }
}

BOOST_AUTO_TEST_CASE(several_paths_add_up) {
  auto x = floats({2});
  auto y = b.exp(x) * b.tanh(x);
  auto made = derivatives(y, {x});
  BOOST_TEST(b.graph().node(made[0].output().node).op->name() == "AddN");
  BOOST_TEST((made[0].shape() == Shape{2}));
}

BOOST_AUTO_TEST_CASE(several_ys_add_up) {
  auto x = floats({2});
  auto made = gradients(b, {b.exp(x), b.neg(x)}, {x});
  BOOST_REQUIRE(made.ok());
  BOOST_TEST(b.graph().node((*made)[0].output().node).op->name() == "AddN");
}

BOOST_AUTO_TEST_CASE(a_y_may_be_an_x) {
  auto x = floats({2});
  BOOST_TEST(ops_of_derivative(x, x) == "Const Const Fill");
}

BOOST_AUTO_TEST_CASE(gradients_have_the_device_constraint_of_the_forward_node) {
  auto w = floats({4, 5});
  auto y = b.on("/job:worker/task:1").matmul(floats({3, 4}), w);
  auto made = derivatives(b.reduce_sum(y), {w});
  const auto& node = b.graph().node(made[0].output().node);
  BOOST_TEST(node.device == "/job:worker/task:1");
  BOOST_TEST(node.name.starts_with("gradients"));
}

BOOST_AUTO_TEST_CASE(gradients_are_named_after_the_node_that_they_are_of) {
  auto x = floats({3, 4}), w = floats({4, 5});
  auto y = b.scope("layer").matmul(x, w);
  auto made = derivatives(y, {x, w});
  BOOST_TEST(made[0].node_name() == "gradients/layer/MatMul_grad/MatMul");
  BOOST_TEST(made[1].node_name() == "gradients/layer/MatMul_grad/MatMul_1");
  BOOST_TEST((made[1] * 2).node_name() == "gradients/Mul");
}

BOOST_AUTO_TEST_CASE(a_variable_is_reached_through_its_read) {
  auto w = b.variable("w", b.zeros(DType::float32, {4}));
  auto value = w.value();
  auto made = derivatives(b.op("L2Loss", {value}), {value});
  BOOST_TEST(made[0].shape().to_string() == "[4]");
}

BOOST_AUTO_TEST_CASE(without_a_path_there_is_no_derivative) {
  auto x = floats({2}), other = floats({2});
  auto status = error(b.exp(x), other);
  BOOST_TEST(status.message() == "'Exp:0' does not depend on it");
  BOOST_TEST(status.where().node == other.node_name());
  Values ys;
  for (int i = 0; i < 5; ++i) ys.push_back(b.named("y").exp(x));
  BOOST_TEST(
      gradients(b, ys, {other}).status().message() ==
      "'y:0', 'y_1:0', 'y_2:0' and 2 more do not depend on it");
}

BOOST_AUTO_TEST_CASE(what_lets_no_gradient_through_is_named) {
  auto x = floats({2});
  BOOST_TEST(
      error(b.exp(b.op("StopGradient", {b.exp(x)})), x).message() ==
      "'Exp_1:0' depends on it only through 'StopGradient' (StopGradient), which passes no "
      "gradient "
      "on");
  auto square = b.square(x);
  BOOST_TEST(
      gradients(b, {b.exp(square)}, {x}, {.stop_gradients = {square}}).status().message() ==
      "'Exp_2:0' depends on it only through 'Square' (Square), which passes no gradient on");
}

BOOST_AUTO_TEST_CASE(a_value_of_another_graph_has_no_gradient) {
  auto x = floats({2});
  Builder other;
  auto alien = other.named("alien").constant(1.0F);
  auto y = b.exp(x);
  auto refusal = "gradients() was given 'alien:0', which is of another graph";
  BOOST_TEST(error(y, alien).message() == refusal);
  BOOST_TEST(error(alien, x).message() == refusal);
  BOOST_TEST(gradients(b, {y}, {x}, {.grad_ys = {alien}}).status().message() == refusal);
}

BOOST_AUTO_TEST_CASE(an_x_without_a_path_has_no_value_where_that_is_allowed) {
  auto x = floats({}), apart = floats({});
  auto made = gradients(b, {x * 2.0}, {x, apart}, {.allow_unconnected = true});
  BOOST_REQUIRE(made.ok());
  BOOST_TEST((*made)[0].is_valid());
  BOOST_TEST(!(*made)[1].is_valid());
}

BOOST_AUTO_TEST_CASE(given_gradients_arrive_at_the_ys) {
  auto x = floats({3}), grad_ys = floats({3});
  auto made = gradients(b, {x}, {x}, {.grad_ys = {grad_ys}});
  BOOST_REQUIRE(made.ok());
  BOOST_TEST((*made)[0].name() == grad_ys.name());
  BOOST_TEST((
      gradients(b, {x, x}, {x}, {.grad_ys = {grad_ys}}).status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(shapes_and_comparisons_end_a_path_in_silence) {
  auto x = floats({unknown});
  auto scaled = x / b.cast(b.op("Size", {x}), DType::float32);
  auto chosen = b.op("Select", {b.op("Less", {x, -x}), x, scaled});
  BOOST_TEST(derivatives(chosen, {x})[0].is_valid());
}

BOOST_AUTO_TEST_CASE(an_op_without_a_gradient_is_named) {
  auto x = floats({3});
  auto y = b.named("rows").op("Unique", {x});
  auto status = error(y, x);
  BOOST_TEST(status.message() == "op Unique has no gradient");
  BOOST_TEST(status.where().node == "rows");
  BOOST_TEST(b.status().ok(), "asking for what does not exist must not spoil the graph");
}

BOOST_AUTO_TEST_CASE(only_continuous_values_have_gradients) {
  auto x = floats({2});
  auto y = b.cast(x, DType::int32);
  BOOST_TEST(error(y, x).message() == "no gradient of a int32 value exists");
  BOOST_TEST(
      error(b.cast(y, DType::float32), x).message() ==
      "'Cast_1:0' depends on it only through the int32 value 'Cast:0', which passes no gradient "
      "on");
  BOOST_TEST(gradients(b, {}, {x}).status().message() == "gradients() was given no ys");
  BOOST_TEST(gradients(b, {Value()}, {x}).status().message() == "gradients() was given no value");
}

BOOST_AUTO_TEST_CASE(every_gradient_has_the_dtype_and_rank_of_its_input) {
  // Unknown sizes and ranks, complex numbers, second derivatives: all must at least fit together.
  for (auto dtype : {DType::float16, DType::float64, DType::complex64})
    for (auto shape : {Shape{2, 3}, Shape{unknown, 3}, Shape::unknown_rank()})
      for (auto name :
           {"Neg", "Square", "Sqrt", "Rsqrt", "Exp", "Log", "Tanh", "Sigmoid", "Sign",
            "Reciprocal"}) {
        auto x = b.placeholder(dtype, shape);
        auto first = derivatives(b.op(name, {x}), {x})[0];
        BOOST_TEST((first.dtype() == dtype));
        BOOST_TEST(first.shape().is_compatible_with(shape), name);
        auto has_second = std::set<std::string>{"Neg", "Sign"}.count(name) == 0;
        if (has_second) BOOST_TEST((derivatives(first, {x})[0].dtype() == dtype), name);
      }
}

BOOST_AUTO_TEST_CASE(both_operands_of_each_binary_op_have_gradients) {
  for (auto shape : {Shape{3}, Shape{unknown}, Shape::unknown_rank()})
    for (auto name :
         {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "Pow", "SquaredDifference", "Maximum",
          "Minimum"}) {
      auto x = floats({2, unknown}), y = floats(shape);
      auto made = derivatives(b.op(name, {x, y}), {x, y});
      BOOST_TEST(made[0].shape().is_compatible_with({2, 3}), name);
      BOOST_TEST(made[1].shape().is_compatible_with(shape), name);
    }
}

BOOST_AUTO_TEST_CASE(layouts_turn_gradients_back) {
  auto later = [this](Shape shape) { return b.placeholder(DType::int32, shape); };
  for (auto shape :
       {Shape{2, 3}, Shape{unknown, 3}, Shape{unknown, unknown}, Shape::unknown_rank()}) {
    auto x = floats(shape);
    Values ys = {
        b.reshape(x, b.ints({-1})),
        b.reshape(x, later({unknown})),
        b.op("ExpandDims", {x, b.constant(0)}),
        b.op("Squeeze", {b.op("ExpandDims", {x, b.constant(0)})}),
        b.op("Transpose", {x, b.ints({1, 0})}),
        b.op("Transpose", {x, later({2})}),
        b.op("BroadcastTo", {x, b.ints({4, 2, 3})}),
        b.op("Pack", {x, b.op("ZerosLike", {x})}),
        b.op("Slice", {x, later({2}), b.ints({1, 1})}),
        b.op("Slice", {x, b.ints({1, 0}), later({2})}),
        b.op("ConcatV2", {x, x, b.constant(1)}),
        b.op("ConcatV2", {floats({unknown, 3}), x, later({})}),
        b.op("Pad", {x, later({2, 2})})};
    BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
    for (const auto& y : ys) {
      auto made = derivatives(y, {x})[0];
      BOOST_TEST(made.shape().is_compatible_with({2, 3}), y.name() << " of " << shape.to_string());
    }
  }
}

BOOST_AUTO_TEST_CASE(both_cross_entropies_have_second_derivatives) {
  auto logits = floats({unknown, 10}), probabilities = floats({unknown, 10});
  auto dense = b.op("SoftmaxCrossEntropyWithLogits", {logits, probabilities});
  auto first = derivatives(dense, {logits, probabilities});
  BOOST_TEST(first[1].shape().is_compatible_with({4, 10}));
  BOOST_TEST(derivatives(first[0], {logits})[0].is_valid());
  auto sparse = b.sparse_softmax_cross_entropy(b.placeholder(DType::int32, {unknown}), logits);
  BOOST_TEST(derivatives(derivatives(sparse, {logits})[0], {logits})[0].is_valid());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
