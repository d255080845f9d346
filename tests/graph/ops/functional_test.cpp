#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

using namespace troupe;

namespace {

struct CallFixture {
  Builder b;
  /// matmul(x, w) and its shape, of any shapes that fit
  FunctionRef product = b.function(
      "product", {{"x", DType::float32}, {"w", DType::float32, {Shape::unknown, 2}}},
      [](const Builder& f, const Values& in) {
        auto y = f.named("y").matmul(in[0], in[1]);
        return Values{y, f.op("Shape", {y})};
      });

  Value input(const Shape& shape, DType dtype = DType::float32) {
    return b.placeholder(dtype, shape);
  }
  Status refused(const Values& inputs) {
    b.named("call").call(product, inputs);
    return b.take_status();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functional_ops, CallFixture)

BOOST_AUTO_TEST_CASE(the_shapes_of_a_call_are_inferred_by_the_body) {
  auto known = b.call(product, {input({5, 3}), input({3, 2})});
  BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
  BOOST_TEST((known[0].shape() == Shape{5, 2}));
  BOOST_TEST((known[1].shape() == Shape{2}));
  BOOST_TEST((known[1].dtype() == DType::int32));
  auto unknown = b.call(product, {input(Shape::unknown_rank()), input(Shape::unknown_rank())});
  BOOST_TEST((unknown[0].shape() == Shape{Shape::unknown, 2}));
}

BOOST_AUTO_TEST_CASE(a_call_with_wrong_inputs_says_what_the_function_takes) {
  BOOST_TEST(
      refused({input({5, 3})}).to_string() ==
      "InvalidArgument: function 'product' takes 2 arguments (x, w), but 1 were given "
      "[node 'call' (PartitionedCall)]");
  BOOST_TEST(
      refused({input({5, 3}), input({3, 2}, DType::int32)}).message() ==
      "argument 'w' of function 'product' must be float32, not int32");
  BOOST_TEST(
      refused({input({5, 3}), input({3, 4})}).message() ==
      "argument 'w' of function 'product' must have the shape [?,2], not [3,4]");
}

BOOST_AUTO_TEST_CASE(an_error_of_the_body_is_at_its_node_in_the_call) {
  auto status = refused({input({5, 3}), input({4, 2})});
  BOOST_TEST(status.where().node == "call/y");
  BOOST_TEST(status.where().op == "MatMul");
  BOOST_TEST((status.code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_dtypes_of_a_call_are_those_of_the_results) {
  b.named("call").op(
      "PartitionedCall", {input({5, 3}), input({3, 2})},
      {{"f", product}, {"Tout", DTypes{DType::float32}}});
  BOOST_TEST(
      b.take_status().message() ==
      "function 'product' has the results [float32, int32], but Tout is [float32]");
  b.op(
      "PartitionedCall", {input({5, 3}), input({3, 2})},
      {{"f", FunctionRef("product", {{"T", DType::float32}})},
       {"Tout", DTypes{DType::float32, DType::int32}}});
  BOOST_TEST(b.take_status().message() == "function 'product' has no attribute 'T'");
}

BOOST_AUTO_TEST_CASE(a_function_is_stateful_where_a_node_of_it_is) {
  auto draw = b.function("draw", {}, [](const Builder& f, const Values&) {
    return Values{f.random_uniform({2}, DType::float32)};
  });
  auto outer =
      b.function("outer", {}, [&](const Builder& f, const Values&) { return f.call(draw, {}); });
  BOOST_TEST(
      b.graph().node(b.call(outer, {})[0].output().node).op->name() == "StatefulPartitionedCall");
  BOOST_TEST(
      b.graph().node(b.call(product, {input({1, 1}), input({1, 2})})[0].output().node).op->name() ==
      "PartitionedCall");
}

BOOST_AUTO_TEST_CASE(what_a_function_cannot_have_is_refused_where_it_is_written) {
  auto x = input({});
  b.function("f", {}, [&](const Builder&, const Values&) { return Values{x}; });
  BOOST_TEST(
      b.take_status().message() ==
      "in function 'f': result0 is no output of a node in the function");
  b.function("f", {}, [&](const Builder& f, const Values&) { return Values{f.neg(x)}; });
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  b.function("f", {}, [&](const Builder& f, const Values&) {
    return Values{f.variable("v", f.constant(1.0f))};
  });
  BOOST_TEST(b.take_status().where().node == "v");
  b.function("_f", {}, [&](const Builder&, const Values&) { return Values{}; });
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  BOOST_TEST(b.graph().library().size() == 1u);
  b.call(FunctionRef("prodact"), {});
  BOOST_TEST(
      b.take_status().message() == "the graph has no function 'prodact'; did you mean 'product'?");
}

BOOST_AUTO_TEST_SUITE_END()
