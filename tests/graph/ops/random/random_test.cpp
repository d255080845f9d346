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

BOOST_AUTO_TEST_CASE(samples_have_their_own_shape_and_then_that_of_the_parameters) {
  BOOST_TEST(shape("RandomGamma", {ints({2, 3}), floats({Shape::unknown, 4})}) == "[2,3,?,4]");
  BOOST_TEST(shape("RandomPoissonV2", {later({1}), floats({5})}) == "[?,5]");
  BOOST_TEST(shape("RandomPoissonV2", {ints({2}), floats()}) == "<unknown>");
  BOOST_TEST(
      shape("RandomGamma", {ints({1, 1, 1, 1, 1, 1, 1, 1}), floats({1})})
          .find("at most 8 dimensions") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(choices_have_a_row_of_samples_for_each_row_of_logits) {
  BOOST_TEST(shape("Multinomial", {floats({3, 4}), number(5)}) == "[3,5]");
  BOOST_TEST(shape("Multinomial", {floats(), later({})}) == "[?,?]");
  auto seed = later({2});
  BOOST_TEST(shape("StatelessMultinomial", {floats({3, 4}), later({}), seed}) == "[3,?]");
  BOOST_TEST(shape("RandomShuffle", {floats({3, Shape::unknown})}) == "[3,?]");
}

BOOST_AUTO_TEST_CASE(stateless_tensors_need_two_seeds) {
  BOOST_TEST(shape("StatelessRandomNormal", {ints({2}), later({2})}) == "[2]");
  BOOST_TEST(shape("StatelessRandomNormal", {ints({2}), later(Shape::unknown_rank())}) == "[2]");
  BOOST_TEST(
      shape("StatelessRandomNormal", {ints({2}), later({3})}) ==
      "'seed' must have the shape [2], but its shape is [3]");
}

BOOST_AUTO_TEST_CASE(samplers_return_candidates_and_counts) {
  Attrs attrs = {{"num_true", 2}, {"num_sampled", 7}, {"unique", true}, {"range_max", 9}};
  auto classes = placeholder(DType::int64);
  BOOST_TEST(shape("UniformCandidateSampler", {classes}, attrs) == "[7] [?,2] [7]");
  auto hits = Attrs{{"num_true", 2}};
  BOOST_TEST(shape("ComputeAccidentalHits", {classes, classes}, hits) == "[?] [?] [?]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
