#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(training, OpFixture)

BOOST_AUTO_TEST_CASE(a_gradient_fits_its_variable) {
  auto variable = add("VarHandleOp", {}, {{"dtype", DType::float32}, {"shape", Shape{2, 3}}});
  auto rate = floats(Shape());
  BOOST_TEST(shape("ResourceApplyGradientDescent", {variable, rate, floats({2, -1})}) == "");
  BOOST_TEST(
      shape("ResourceApplyGradientDescent", {variable, rate, floats({3, 2})}) ==
      "the variable has shape [2,3], but its gradient [3,2]");
  BOOST_TEST(
      shape("ResourceApplyMomentum", {variable, variable, floats({1}), floats({2, 3}), rate}) ==
      "input 2 must have rank 0, but its shape is [1]");
  auto wide = [this](Shape shape) { return placeholder(DType::float64, shape); };
  BOOST_TEST(
      shape("ResourceApplyGradientDescent", {variable, wide(Shape()), wide({2, 3})}) ==
      "the variable is float32, not float64");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
