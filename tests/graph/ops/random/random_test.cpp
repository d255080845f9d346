#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(random, OpFixture)

BOOST_AUTO_TEST_CASE(random_tensors_have_the_shape_asked_for) {
  auto floating = Attrs{{"dtype", DType::float32}};
  BOOST_TEST(shape("RandomUniform", {ints({2, 3})}, floating) == "[2,3]");
  BOOST_TEST(shape("TruncatedNormal", {later({2})}, floating) == "[?,?]");
  BOOST_TEST(shape("RandomUniform", {ints({2})}) == "op RandomUniform needs the attribute 'dtype'");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
