#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct SimplifyFixture : PassFixture {
  Value x, y;

  SimplifyFixture() : PassFixture("simplify_arithmetic") {
    x = b.named("x").random_uniform({2, 3}, DType::float32);
    y = b.named("y").random_uniform({2, 3}, DType::float64);
  }

  /// Whether a use of that value becomes one of x.
  bool is_input(const Value& value, const std::string& input) {
    auto lines = nodes_for({b.named("use").op("Tanh", {value})});
    return !lines.empty() && lines.back().find("Tanh(" + input + ")") != std::string::npos;
  }
  bool is_x(const Value& value) { return is_input(value, x.name()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(simplify_arithmetic_pass, SimplifyFixture)

BOOST_AUTO_TEST_CASE(identities_are_their_input) {
  BOOST_TEST(is_x(b.identity(b.op("StopGradient", {b.identity(x)}))));
  BOOST_TEST(is_x(b.cast(x, DType::float32)));
  BOOST_TEST(!is_x(b.cast(x, DType::float64)));
}

BOOST_AUTO_TEST_CASE(neutral_operands_go_where_the_bits_stay) {
  BOOST_TEST(is_x(x * 1.0));
  BOOST_TEST(is_x(1.0 * x));
  BOOST_TEST(is_x(x / 1.0));
  BOOST_TEST(is_x(x - 0.0));
  BOOST_TEST(is_x(b.add(x, b.constant(-0.0f))));
  BOOST_TEST(is_input(y * 1.0, y.name()));
  auto numbers = b.op("RandomUniformInt", {b.ints({2}), b.constant(0), b.constant(9)});
  BOOST_TEST(is_input(b.cast(numbers + 0.0, DType::float32), "") == false);
  BOOST_TEST(changes({numbers + 0.0}));
}

BOOST_AUTO_TEST_CASE(what_changes_bits_stays) {
  BOOST_TEST(!is_x(x + 0.0));                      // -0 + 0 is 0
  BOOST_TEST(!is_x(b.sub(x, b.constant(-0.0f))));  // as well
  BOOST_TEST(!is_x(1.0 / x));
  BOOST_TEST(!is_x(0.0 - x));
  BOOST_TEST(!is_x(x * 2.0));
  auto half = b.cast(x, DType::float16);
  BOOST_TEST(!changes({half * 1.0}));  // a NaN gets other bits
}

BOOST_AUTO_TEST_CASE(a_neutral_operand_that_makes_the_result_larger_stays) {
  BOOST_TEST(is_x(b.mul(x, b.constant(Tensor::of<float>({3}, {1, 1, 1})))));
  BOOST_TEST(!is_x(b.mul(x, b.constant(Tensor::of<float>({1, 1, 1}, {1})))));
  auto of_any_shape = b.placeholder(DType::float32);
  BOOST_TEST(!changes(
      {b.tanh(b.mul(of_any_shape, b.constant(Tensor::of<float>({1}, {1}))))}, {of_any_shape}));
  BOOST_TEST(changes({b.tanh(of_any_shape * 1.0)}, {of_any_shape}));
}

BOOST_AUTO_TEST_CASE(what_is_undone_was_not_done) {
  BOOST_TEST(is_x(b.neg(b.neg(x))));
  BOOST_TEST(!is_x(b.neg(b.neg(b.neg(x)))));
  BOOST_TEST(is_x(b.op("Transpose", {b.op("Transpose", {x, b.ints({1, 0})}), b.ints({1, 0})})));
  BOOST_TEST(is_x(b.op("Transpose", {x, b.ints({0, 1})})));
  BOOST_TEST(!is_x(b.op("Transpose", {x, b.ints({1, 0})})));
  auto cube = b.reshape(x, b.ints({1, 2, 3}));
  auto turned = b.op("Transpose", {cube, b.ints({2, 0, 1})});
  auto again = b.op("Transpose", {turned, b.ints({2, 0, 1})});
  BOOST_TEST(is_input(b.reshape(again, b.ints({6})), again.name()) == false);
  auto lines = nodes_for({again});
  BOOST_TEST(text_of(lines) == "unchanged\n");  // a cycle of three
  BOOST_TEST(changes({b.op("Transpose", {turned, b.ints({1, 2, 0})})}));
}

BOOST_AUTO_TEST_CASE(a_shape_that_it_has_is_not_given_again) {
  BOOST_TEST(is_x(b.reshape(x, b.ints({2, -1}))));
  BOOST_TEST(is_x(b.reshape(b.reshape(x, b.ints({6})), b.ints({2, 3}))));
  BOOST_TEST(!is_x(b.reshape(x, b.ints({3, 2}))));
}

BOOST_AUTO_TEST_CASE(what_others_wait_for_on_a_branch_stays) {
  auto branch = b.op("Switch", {x, b.named("choice").placeholder(DType::boolean, {})});
  auto pivot = b.named("pivot").identity(branch.output(1));
  auto waits = b.after({pivot}).constant(1.0f);
  auto choice = *b.graph().find("choice");
  BOOST_TEST(!changes({waits}, {b.value({choice, 0})}));
  // Without that, the value of the branch is used itself.
  auto used = b.tanh(b.identity(branch.output(1)));
  BOOST_TEST(changes({used}, {b.value({choice, 0})}));
}

BOOST_AUTO_TEST_CASE(what_waits_for_others_stays) {
  auto before = b.named("before").op("NoOp");
  BOOST_TEST(!is_x(b.after({before}).identity(x)));
  auto one = b.after({before}).constant(1.0f);
  BOOST_TEST(!is_x(b.mul(x, one)));
}

BOOST_AUTO_TEST_CASE(a_copy_on_another_device_stays) {
  BOOST_TEST(!is_x(b.on("/job:b").identity(x)));
}

BOOST_AUTO_TEST_CASE(a_fetch_is_never_replaced_by_a_feed) {
  auto fed = b.placeholder(DType::float32, {2});
  BOOST_TEST(!changes({b.identity(fed)}, {fed}));
  BOOST_TEST(changes({b.neg(b.identity(fed))}, {fed}));
}

BOOST_AUTO_TEST_CASE(what_is_fed_is_not_the_input) {
  auto copy = b.identity(x);
  BOOST_TEST(!changes({b.tanh(copy)}, {copy}));
  auto inner = b.neg(x);
  BOOST_TEST(!changes({b.neg(inner)}, {inner}));
}

BOOST_AUTO_TEST_CASE(the_value_of_a_reference_is_read_where_it_was) {
  auto variable =
      b.named("variable").op("VariableV2", {}, {{"shape", Shape{2}}, {"dtype", DType::float32}});
  BOOST_TEST(!changes({b.tanh(b.identity(variable))}));
  BOOST_TEST(!changes({b.tanh(b.identity(variable) * 1.0)}));  // no memory of the variable
}

BOOST_AUTO_TEST_SUITE_END()
