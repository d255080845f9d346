#include "troupe/graph/build/nn/dropout.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::nn {

namespace {

struct Dropped : testing::Model {
  Value ones = b.fill(b.ints({2, 6}), b.constant(1.0f));
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dropout_test, Dropped)

BOOST_AUTO_TEST_CASE(a_seed_drops_what_it_drops_in_tensorflow) {
  check(dropout(b, ones, {.seed = 7}), {0, 2, 0, 0, 2, 2, 0, 2, 2, 2, 2, 0});
}

BOOST_AUTO_TEST_CASE(rows_are_kept_or_dropped_together_where_the_noise_has_one_column) {
  auto kept = fetch(dropout(b, ones, {.noise_shape = {{Shape::unknown, 1}}, .seed = 7}));
  auto values = kept.values<float>();
  for (size_t row : {0, 1})
    for (size_t column = 0; column < 6; ++column) {
      BOOST_TEST((values[6 * row] == 0 || values[6 * row] == 2));
      BOOST_TEST(values[6 * row + column] == values[6 * row]);
    }
}

BOOST_AUTO_TEST_CASE(a_rate_may_be_a_tensor) {
  auto rate = b.placeholder(DType::float32, {});
  auto kept = dropout(b, ones, {.rate = rate, .seed = 7});
  check(kept, {0, 2, 0, 0, 2, 2, 0, 2, 2, 2, 2, 0}, {{rate, Tensor::scalar(0.5f)}});
  check(kept, std::vector<double>(12, 1.0), {{rate, Tensor::scalar(0.0f)}});
}

BOOST_AUTO_TEST_CASE(nothing_is_dropped_at_a_rate_of_zero) {
  BOOST_TEST(dropout(b, ones, {.rate = 0}).name() == ones.name());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::nn
