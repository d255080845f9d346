#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

namespace {

struct BuilderFixture {
  Builder b;
  Value x = b.named("x").placeholder(DType::float32, {2, 3});

  const Node& node(const Value& value) const { return b.graph().node(value.output().node); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(builder, BuilderFixture)

BOOST_AUTO_TEST_CASE(the_first_error_stays_and_names_its_node) {
  auto wrong = b.named("product").matmul(x, x);
  BOOST_TEST(!wrong.is_valid());
  BOOST_TEST(b.status().where().node == "product");
  BOOST_TEST(b.status().where().op == "MatMul");
  auto first = b.status();
  BOOST_TEST(!b.relu(wrong).is_valid());
  BOOST_TEST(!(wrong + 1.0).is_valid());
  b.op("NoSuchOp");
  BOOST_TEST((b.status() == first));
  BOOST_TEST(b.relu(x).is_valid());
}

BOOST_AUTO_TEST_CASE(a_device_name_is_checked_where_it_is_given) {
  Builder b;
  (void)b.on("/job:ps/task:x");
  BOOST_TEST(
      b.status().message() ==
      "device name '/job:ps/task:x': task index 'x' must be a number or '*'");
}

BOOST_AUTO_TEST_CASE(an_error_that_is_taken_is_forgotten) {
  b.matmul(x, x);
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  BOOST_TEST(b.status().ok());
  BOOST_TEST(b.take_status().ok());
  b.op("NoSuchOp");
  BOOST_TEST(!b.status().ok());
}

BOOST_AUTO_TEST_CASE(an_invalid_value_is_harmless) {
  Value none;
  BOOST_TEST(!none.is_valid());
  BOOST_TEST(none.name() == "");
  BOOST_TEST((none.dtype() == DType::invalid));
  BOOST_TEST(!none.shape().has_rank());
  BOOST_TEST(!none.output(1).is_valid());
  BOOST_TEST(!(none + none).is_valid());
  BOOST_TEST(!(-none).is_valid());
  BOOST_TEST(b.status().ok());
  BOOST_TEST(!b.relu(none).is_valid());
  BOOST_TEST(b.status().message() == "an input of the node belongs to no node of this graph");
}

BOOST_AUTO_TEST_CASE(a_target_has_a_name_and_no_tensor) {
  auto target = b.group({x});
  BOOST_TEST(target.is_valid());
  BOOST_TEST((target.dtype() == DType::invalid));
  BOOST_TEST(!target.shape().has_rank());
  BOOST_TEST(!b.relu(target).is_valid());
  BOOST_TEST(
      b.status().message() == "there is no output 'NoOp:0': node 'NoOp' (NoOp) has 0 outputs");
}

BOOST_AUTO_TEST_CASE(a_node_has_the_outputs_of_its_op) {
  auto parts = b.op("Unpack", {x}, {{"num", 2}});
  BOOST_TEST(parts.output(1).name() == "Unpack:1");
  BOOST_TEST(!parts.output(2).is_valid());
  BOOST_TEST(
      b.status().message() ==
      "there is no output 'Unpack:2': node 'Unpack' (Unpack) has 2 outputs");
}

BOOST_AUTO_TEST_CASE(a_value_of_another_graph_is_refused) {
  Builder other;
  BOOST_TEST(!other.relu(x).is_valid());
  BOOST_TEST(other.status().message() == "an input of the node belongs to no node of this graph");
}

BOOST_AUTO_TEST_CASE(nothing_waits_for_a_node_of_another_graph) {
  Builder other;
  auto alien = other.named("alien").constant(1.0F);
  b.named("alien").constant(1.0F);
  BOOST_TEST(b.after({alien}).identity(x).is_valid());
  BOOST_TEST(b.take_status().message() == "after() was given 'alien:0', which is of another graph");
  b.group({x, alien});
  BOOST_TEST(b.status().message() == "after() was given 'alien:0', which is of another graph");
}

BOOST_AUTO_TEST_CASE(names_are_made_unique) {
  BOOST_TEST(x.name() == "x:0");
  BOOST_TEST(b.relu(x).name() == "Relu:0");
  BOOST_TEST(b.relu(x).name() == "Relu_1:0");
  BOOST_TEST(b.named("x").relu(x).name() == "x_1:0");
  BOOST_TEST(b.named("Relu_1").relu(x).name() == "Relu_1_1:0");
  BOOST_TEST(b.relu(x).name() == "Relu_2:0");
  BOOST_TEST(b.group({x}).name() == "NoOp");
  BOOST_TEST(b.named("X").relu(x).name() == "X_2:0");  // x_1 is there
  BOOST_TEST(b.scope("RELU").relu(x).name() == "RELU_3/Relu:0");
}

BOOST_AUTO_TEST_CASE(scopes_prefix_names) {
  auto layer = b.scope("layer");
  BOOST_TEST(layer.relu(x).name() == "layer/Relu:0");
  BOOST_TEST(layer.scope("inner").named("y").relu(x).name() == "layer/inner/y:0");
  BOOST_TEST(b.scope("layer").relu(x).name() == "layer_1/Relu:0");
  BOOST_TEST(layer.relu(x).name() == "layer/Relu_1:0");
}

BOOST_AUTO_TEST_CASE(a_node_may_have_the_name_of_its_scope) {
  auto outer = b.scope("outer");
  auto layer = outer.scope("layer");
  BOOST_TEST(layer.named(layer.prefix()).relu(x).name() == "outer/layer:0");
  BOOST_TEST(layer.named(layer.prefix()).relu(x).name() == "outer/layer_1:0");
}

BOOST_AUTO_TEST_CASE(a_scope_is_entered_again_by_its_prefix) {
  auto scope = b.scope("layer");
  BOOST_TEST(b.within(scope.prefix()).relu(x).name() == "layer/Relu:0");
  BOOST_TEST(b.scope("layer").prefix() == "layer_1/");
  BOOST_TEST(scope.within("").relu(x).name() == "Relu:0");
}

BOOST_AUTO_TEST_CASE(device_constraints_last_until_they_are_changed) {
  auto ps = b.on("/job:ps/task:0");
  auto y = ps.relu(x);
  BOOST_TEST(node(y).device == "/job:ps/task:0");
  BOOST_TEST(node(y + 1.0).device == "/job:ps/task:0");
  BOOST_TEST(node(ps.on("").relu(x)).device == "");
  BOOST_TEST(node(b.relu(y)).device == "");
}

BOOST_AUTO_TEST_CASE(control_inputs_come_from_after) {
  auto y = b.relu(x);
  auto z = b.after({x, y}).neg(x);
  BOOST_TEST(node(z).control_inputs.size() == 2);
  BOOST_TEST(node(b.neg(x)).control_inputs.empty());
}

BOOST_AUTO_TEST_CASE(operators_make_element_wise_nodes) {
  BOOST_TEST(node(x + x).op->name() == "AddV2");
  BOOST_TEST(node(x - x).op->name() == "Sub");
  BOOST_TEST(node(x * x).op->name() == "Mul");
  BOOST_TEST(node(x / x).op->name() == "RealDiv");
  BOOST_TEST(node(-x).op->name() == "Neg");
  auto half = 0.5 - x;
  auto number = b.graph().constant_value(node(half).inputs[0]);
  BOOST_TEST(number->to_string() == "float32[] [0.5]");
  BOOST_TEST(half.shape().to_string() == "[2,3]");
}

BOOST_AUTO_TEST_CASE(numbers_take_the_dtype_of_the_other_operand) {
  auto count = b.placeholder(DType::int64) + 3;
  BOOST_TEST((count.dtype() == DType::int64));
  auto flag = b.like(b.placeholder(DType::string), 1);
  BOOST_TEST(!flag.is_valid());
  BOOST_TEST(b.status().message() == "a number can be combined with numbers only");
}

BOOST_AUTO_TEST_CASE(a_shape_is_a_constant_where_it_is_known) {
  BOOST_TEST(node(b.shape_of(x)).op->name() == "Const");
  auto open = b.placeholder(DType::float32, {Shape::unknown});
  BOOST_TEST(node(b.shape_of(open)).op->name() == "Shape");
}

BOOST_AUTO_TEST_CASE(random_values_have_a_shape_a_dtype_and_seeds) {
  auto uniform = b.random_uniform({2, 3}, DType::float64, /*seed=*/7, /*seed2=*/8);
  BOOST_TEST(node(uniform).op->name() == "RandomUniform");
  BOOST_TEST(uniform.shape().to_string() == "[2,3]");
  BOOST_TEST((uniform.dtype() == DType::float64));
  BOOST_TEST(node(uniform).attr<int64_t>("seed") == 7);
  BOOST_TEST(node(uniform).attr<int64_t>("seed2") == 8);
  BOOST_TEST(node(b.random_normal({4}, DType::float32)).op->name() == "RandomStandardNormal");
}

BOOST_AUTO_TEST_CASE(reductions_go_over_the_axes_given_or_all) {
  BOOST_TEST(b.reduce_sum(x).shape().to_string() == "[]");
  BOOST_TEST(b.reduce_mean(x, {0}).shape().to_string() == "[3]");
  BOOST_TEST(b.reduce_sum(x, {-1}, /*keep_dims=*/true).shape().to_string() == "[2,1]");
  BOOST_TEST(b.reduce_mean(b.placeholder(DType::float32)).is_valid());
  BOOST_TEST(b.arg_max(x, 1).shape().to_string() == "[2]");
}

BOOST_AUTO_TEST_CASE(a_variable_has_a_handle_an_initializer_and_reads) {
  auto w =
      b.on("/job:ps/task:0").container("shared").variable("w", b.zeros(DType::float32, {3, 4}));
  BOOST_TEST(w.name == "w");
  const auto& handle = node(w.handle);
  BOOST_TEST(handle.device == "/job:ps/task:0");
  BOOST_TEST(handle.attr<std::string>("container") == "shared");
  BOOST_TEST(handle.attr<std::string>("shared_name") == "w");
  BOOST_TEST(w.value().shape().to_string() == "[3,4]");
  BOOST_TEST(node(w.value()).device == "/job:ps/task:0");
  BOOST_TEST(b.matmul(x, w).shape().to_string() == "[2,4]");
  BOOST_TEST(b.variable("w", b.zeros(DType::float32, {})).name == "w_1");
  BOOST_TEST(b.status().ok());
}

BOOST_AUTO_TEST_CASE(variables_of_one_name_in_two_containers_have_resources_of_that_name) {
  auto name_of = [&](const Variable& variable) {
    return b.graph().node(variable.handle.output().node).attr<std::string>("shared_name");
  };
  BOOST_TEST(name_of(b.variable("w", b.zeros(DType::float32, {}))) == "w");
  BOOST_TEST(name_of(b.container("other").variable("w", b.zeros(DType::float32, {}))) == "w");
  BOOST_TEST(name_of(b.container("other").variable("w", b.zeros(DType::float32, {}))) == "w_2");
}

BOOST_AUTO_TEST_CASE(an_assignment_fits_its_variable) {
  auto w = b.variable("w", b.zeros(DType::float32, {3}));
  BOOST_TEST(w.assign_add(b.zeros(DType::float32, {3})).is_valid());
  BOOST_TEST(!w.assign(x).is_valid());
  BOOST_TEST(b.status().message() == "shapes [3] and [2,3] do not agree");
}

BOOST_AUTO_TEST_CASE(the_initializer_runs_all_of_them) {
  b.variable("v", b.zeros(DType::float32, {}));
  b.variable("w", b.zeros(DType::float32, {}));
  auto init = b.initializer();
  BOOST_TEST(init.name() == "init");
  BOOST_TEST(node(init).control_inputs.size() == 2);
}

BOOST_AUTO_TEST_CASE(the_builder_knows_its_variables) {
  auto w = b.on("/job:ps/task:0").variable("w", b.zeros(DType::float32, {3}));
  auto all = b.variables();
  BOOST_REQUIRE(all.size() == 1);
  BOOST_TEST(all[0].name == "w");
  BOOST_TEST(all[0].handle.name() == w.handle.name());
  BOOST_TEST(all[0].initializer.name() == w.initializer.name());
  BOOST_TEST((all[0].dtype == DType::float32));
  BOOST_TEST((all[0].shape == Shape{3}));
  auto read = all[0].value();
  BOOST_TEST(read.name() == "w/read:0");
  BOOST_TEST(node(read).device == "/job:ps/task:0");
}

BOOST_AUTO_TEST_CASE(a_variable_of_an_invalid_value_keeps_the_first_error) {
  auto w = b.variable("w", b.matmul(x, x));
  BOOST_TEST(!w.initializer.is_valid());
  BOOST_TEST(!w.value().is_valid());
  BOOST_TEST(!w.assign(x).is_valid());
  BOOST_TEST(b.status().where().op == "MatMul");
  BOOST_TEST(b.initializer().is_valid());
  BOOST_TEST(!b.zeros(DType::float32, {Shape::unknown}).is_valid());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
