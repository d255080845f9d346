#include "troupe/devices/resources/learning/quantile_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(quantile_stream)

BOOST_AUTO_TEST_CASE(quantiles_are_within_the_error) {
  constexpr int count = 20'000;
  constexpr double epsilon = 0.02;
  QuantileStream stream(epsilon, count);
  for (int i = 0; i < count; ++i) stream.add(static_cast<float>(i * 7919 % count), 1);
  auto summary = stream.finish();
  BOOST_TEST(summary.entries().size() < 2000u);
  BOOST_TEST(summary.error() <= epsilon);
  auto quantiles = summary.quantiles(10);
  BOOST_TEST_REQUIRE(quantiles.size() == 11u);
  for (size_t i = 0; i <= 10; ++i)
    BOOST_TEST(std::abs(quantiles[i] - count * i / 10.0) <= 2 * epsilon * count);
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_what_tensorflow_keeps) {
  QuantileStream stream(0.1f, 102);
  for (int i = 0; i < 101; ++i) stream.add(static_cast<float>(i * 37 % 101), 1.0f + i % 3);
  std::vector<float> values, ranks;
  auto summary = stream.finish();
  for (const auto& entry : summary.entries()) {
    values.push_back(entry.value);
    ranks.push_back(entry.max_rank);
  }
  std::vector<float> kept{0,  5,  7,  11, 14, 15, 17, 21, 24, 25, 27, 31, 34,
                          35, 39, 43, 44, 48, 51, 54, 57, 61, 62, 64, 67, 71,
                          72, 76, 78, 81, 82, 86, 88, 91, 92, 96, 98, 99, 100};
  std::vector<float> kept_ranks{1,   16,  20,  23,  33,  35,  39,  42,  52,  54,  58,  61,  71,
                                73,  78,  89,  96,  97,  111, 113, 115, 121, 124, 133, 135, 141,
                                144, 154, 159, 162, 165, 175, 180, 183, 186, 196, 199, 200, 201};
  BOOST_TEST(values == kept);
  BOOST_TEST(ranks == kept_ranks);
}

BOOST_AUTO_TEST_CASE(equal_values_have_one_entry) {
  QuantileStream stream(0.1, 10);
  for (float value : {2, 1, 2, 1, 1}) stream.add(value, 0.5f);
  stream.add(3, 0);
  auto summary = stream.finish();
  BOOST_TEST_REQUIRE(summary.entries().size() == 2u);
  BOOST_TEST(summary.entries()[0].weight == 1.5f);
  BOOST_TEST(summary.entries()[1].min_rank == 1.5f);
  BOOST_TEST(stream.finish().is_empty());
}

BOOST_AUTO_TEST_CASE(values_that_have_no_order_do_no_harm) {
  constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
  constexpr auto inf = std::numeric_limits<float>::infinity();
  QuantileStream stream(0.3, 100);
  for (int i = 0; i < 1000; ++i) stream.add(i % 3 ? (i % 5 ? nan : -inf) : inf, i % 7 ? 1 : inf);
  QuantileSummary backwards({{3, 1, 2, 3}, {2, nan, 1, 2}, {1, 1, 0, -1}});
  for (int i = 0; i < 20; ++i) stream.add(backwards);
  auto summary = stream.finish();
  BOOST_TEST(!summary.is_empty());
  BOOST_TEST(!summary.boundaries(5).empty());
  BOOST_TEST(summary.quantiles(5).size() == 6u);
}

BOOST_AUTO_TEST_CASE(small_errors_do_not_take_memory_in_advance) {
  for (auto epsilon : {1e-30, 1e-16, 1e-9}) {
    QuantileStream stream(epsilon, int64_t{1} << 62);
    for (int i = 0; i < 100; ++i) stream.add(static_cast<float>(i), 1);
    BOOST_TEST(stream.finish().entries().size() == 100u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
