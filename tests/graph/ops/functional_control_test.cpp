#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

using namespace troupe;

namespace {

struct ControlOpsFixture {
  Builder b;
  std::vector<FunctionArgument> one = {{"x", DType::float32}};
  FunctionRef same = b.function(
      "same", one, [](const Builder& f, const Values& in) { return Values{f.identity(in[0])}; });
  FunctionRef doubled = b.function("doubled", one, [](const Builder& f, const Values& in) {
    return Values{f.op("ConcatV2", {in[0], in[0], f.constant<int32_t>(0)})};
  });
  FunctionRef pair = b.function("pair", one, [](const Builder&, const Values& in) {
    return Values{in[0], in[0]};
  });
  FunctionRef as_int = b.function("as_int", one, [](const Builder& f, const Values& in) {
    return Values{f.cast(in[0], DType::int32)};
  });
  FunctionRef always = b.function(
      "always", one, [](const Builder& f, const Values&) { return Values{f.constant(true)}; });

  Value input(const Shape& shape, DType dtype = DType::float32) {
    return b.placeholder(dtype, shape);
  }
  Value choose(const FunctionRef& then_branch, const FunctionRef& else_branch, Attrs more = {}) {
    Attrs attrs = {
        {"Tout", DTypes{DType::float32}},
        {"then_branch", then_branch},
        {"else_branch", else_branch}};
    attrs.merge(more);
    return b.named("if").op("If", {input({}, DType::boolean), input({2, 3})}, attrs);
  }
  Value loop(const FunctionRef& cond, const FunctionRef& body, Attrs more = {}) {
    Attrs attrs = {{"cond", cond}, {"body", body}};
    attrs.merge(more);
    return b.named("while").op("While", {input({2, 3})}, attrs);
  }
  Value count(const Shape& start, const FunctionRef& body) {
    auto zero = b.constant<int32_t>(0);
    return b.named("for").op(
        "For", {input(start, DType::int32), zero, zero, input({2, 3})}, {{"body", body}});
  }
  std::string refused(const Value& value) {
    BOOST_TEST(!value.is_valid());
    return b.take_status().message();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functional_control_ops, ControlOpsFixture)

BOOST_AUTO_TEST_CASE(the_shape_of_an_if_is_what_its_functions_have_in_common) {
  BOOST_TEST((choose(same, same).shape() == Shape{2, 3}));
  BOOST_TEST((choose(same, doubled).shape() == Shape{Shape::unknown, 3}));
  auto given = choose(same, doubled, {{"output_shapes", Shapes{Shape{4, Shape::unknown}}}});
  BOOST_TEST((given.shape() == Shape{4, 3}));
}

BOOST_AUTO_TEST_CASE(the_shape_of_a_while_is_that_of_all_iterations) {
  BOOST_TEST((loop(always, same).shape() == Shape{2, 3}));
  BOOST_TEST((loop(always, doubled).shape() == Shape{Shape::unknown, 3}));
}

BOOST_AUTO_TEST_CASE(functions_with_other_results_are_refused) {
  BOOST_TEST(
      refused(choose(same, pair)) ==
      "function 'pair' has the results [float32, float32], but Tout is [float32]");
  BOOST_TEST(
      refused(choose(same, as_int)) ==
      "function 'as_int' has the results [int32], but Tout is [float32]");
  BOOST_TEST(
      refused(loop(pair, same)) ==
      "Expected a single scalar from the condition of a loop, but 'pair' got 2 tensors.");
  BOOST_TEST(refused(loop(always, pair)) == "While loop body returned 2 arguments. Expected: 1");
  BOOST_TEST(
      refused(loop(always, as_int)) ==
      "While loop body 'as_int' returned [int32] for variables of the types [float32]");
  auto two = b.function(
      "two", {{"i", DType::int32}, {"x", DType::float32}}, [](const Builder&, const Values& in) {
        return Values{in[1], in[1]};
      });
  BOOST_TEST(refused(count({}, two)) == "For loop body returned 2 arguments. Expected: 1");
}

BOOST_AUTO_TEST_CASE(shapes_that_contradict_the_functions_are_refused) {
  BOOST_TEST(
      refused(choose(same, same, {{"output_shapes", Shapes{Shape{5}}}})) ==
      "`output_shapes` says that output 0 has the shape [5], but the functions give [2,3]");
  BOOST_TEST(
      refused(loop(always, same, {{"output_shapes", Shapes{Shape{2}, Shape{3}}}})) ==
      "`output_shapes` must be the same length as num outputs (2 vs. 1)");
}

BOOST_AUTO_TEST_CASE(a_for_counts_from_a_scalar) {
  auto body = b.function(
      "body", {{"i", DType::int32}, {"x", DType::float32}},
      [](const Builder& f, const Values& in) { return Values{f.identity(in[1])}; });
  BOOST_TEST((count({}, body).shape() == Shape{2, 3}));
  BOOST_TEST(refused(count({1}, body)) == "start must be a scalar, but its shape is [1]");
}

BOOST_AUTO_TEST_CASE(a_symbolic_gradient_has_the_shapes_of_its_functions_arguments) {
  auto x = input({2, 3});
  auto dx = b.op("SymbolicGradient", {x, x}, {{"f", same}, {"Tout", DTypes{DType::float32}}});
  BOOST_TEST((dx.shape() == Shape{2, 3}));
  BOOST_TEST(
      refused(b.op(
          "SymbolicGradient", {x, input({}, DType::int32)},
          {{"f", same}, {"Tout", DTypes{DType::float32}}})) ==
      "function 'same' has the results [float32], but the gradients of its results are [int32]");
}

BOOST_AUTO_TEST_SUITE_END()
