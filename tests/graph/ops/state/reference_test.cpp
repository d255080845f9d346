#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(references, OpFixture)

BOOST_AUTO_TEST_CASE(a_reference_has_the_dtype_and_shape_of_the_value) {
  Attrs attrs = {{"dtype", DType::float32}, {"shape", Shape{2, 3}}};
  auto v = add("VariableV2", {}, attrs);
  auto node = graph.node(*graph.find(v));
  BOOST_TEST((node.output_dtypes[0] == DType::float32));
  BOOST_TEST(node.gives_reference(0));
  BOOST_TEST(shape("Identity", {v}) == "[2,3]");
  BOOST_TEST(shape("Assign", {v, floats()}) == "[2,3]");
  BOOST_TEST(shape("Assign", {v, floats({4})}, {{"validate_shape", false}}) == "[4]");
  BOOST_TEST(shape("AssignAdd", {v, floats({2, -1})}) == "[2,3]");
  BOOST_TEST(shape("IsVariableInitialized", {v}) == "[]");
  BOOST_TEST(shape("Variable", {}, {{"dtype", DType::float32}, {"shape", Shape()}}) == "<unknown>");
}

BOOST_AUTO_TEST_CASE(writing_ops_take_references_only) {
  auto v = add("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}});
  auto x = add("Identity", {v}, {});
  BOOST_TEST(
      add("Assign", {x, x}, {}) ==
      "input 0 expects a reference to a variable, but '" + x + ":0' is a value");
  auto assigned = add("Assign", {v, x}, {});
  BOOST_TEST(shape("AssignSub", {assigned, v}) == "[2]");
  BOOST_TEST(
      shape("ApplyMomentum", {v, x, floats({}), x, floats({})}) ==
      "input 1 expects a reference to a variable, but '" + x + ":0' is a value");
}

BOOST_AUTO_TEST_CASE(updates_fit_what_a_reference_names) {
  auto v = add("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape{4, 3}}});
  auto rows = ints({0, 1});
  BOOST_TEST(shape("ScatterAdd", {v, rows, floats({2, 3})}) == "[4,3]");
  BOOST_TEST(
      shape("ScatterAdd", {v, rows, floats({2, 2})}) ==
      "updates must have the shape [2,3], but have [2,2]");
  auto rate = floats(Shape());
  BOOST_TEST(shape("ApplyGradientDescent", {v, rate, floats()}) == "[4,3]");
  BOOST_TEST(
      shape("ApplyGradientDescent", {v, rate, floats({3})}) ==
      "the variable has shape [4,3], but its gradient [3]");
  BOOST_TEST(
      shape("CountUpTo", {v}, {{"limit", 1}}) ==
      "attribute 'T' must be one of int32, int64, not float32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
