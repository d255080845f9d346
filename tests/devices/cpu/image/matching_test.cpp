#include <limits>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

std::string matches(const Tensor& distances, float rows, int64_t top_k = -1) {
  return show("BipartiteMatch", {distances, Tensor::scalar(rows)}, {{"top_k", top_k}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matching)

BOOST_AUTO_TEST_CASE(the_nearest_rows_and_columns_are_matched_first) {
  auto distances = vec({2, 3}, {0.5f, 0.8f, 0.1f, 0.3f, 0.2f, 0.15f});
  BOOST_TEST(matches(distances, 2) == "int32[2] [2 1]; int32[3] [-1 1 0]");
  BOOST_TEST(matches(distances, -1) == "int32[2] [2 1]; int32[3] [-1 1 0]");
  BOOST_TEST(matches(distances, 1) == "int32[2] [2 -1]; int32[3] [-1 -1 0]");
  BOOST_TEST(matches(distances, 0) == "int32[2] [-1 -1]; int32[3] [-1 -1 -1]");
  BOOST_TEST(matches(distances, 2, 1) == "int32[2] [2 -1]; int32[3] [-1 -1 0]");
}

BOOST_AUTO_TEST_CASE(what_is_no_distance_is_matched_last) {
  auto none = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(matches(vec({1, 3}, {none, 2, 2}), 1) == "int32[1] [1]; int32[3] [-1 0 -1]");
  BOOST_TEST(matches(vec({1, 1}, {none}), 1) == "int32[1] [0]; int32[1] [0]");
  BOOST_TEST(matches(vec({0, 2}, {}), 0) == "int32[0] []; int32[2] [-1 -1]");
}

BOOST_AUTO_TEST_CASE(more_rows_than_there_are_cannot_be_matched) {
  BOOST_TEST(
      matches(vec({1, 2}, {1, 2}), 2) ==
      "InvalidArgument: 'num_valid_rows' is 2.000000, but 'distance_mat' has only 1 rows");
  BOOST_TEST(
      matches(vec({2}, {1, 2}), 1) ==
      "InvalidArgument: 'distance_mat' must be a matrix, but has the shape [2]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
