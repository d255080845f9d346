#include "troupe/tests/devices/cpu/run_op.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

Tensor ints(const Shape& shape, std::initializer_list<int32_t> values) {
  return Tensor::of<int32_t>(shape, values);
}

std::string gather(
    const Tensor& ids, const Tensor& parents, const Tensor& lengths, int32_t end_token = 9) {
  return show("GatherTree", {ids, parents, lengths, Tensor::scalar(end_token)});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(beam_search)

BOOST_AUTO_TEST_CASE(each_beam_is_followed_from_its_end_to_its_beginning) {
  auto ids = ints({3, 1, 2}, {1, 2, 3, 4, 5, 6});
  auto parents = ints({3, 1, 2}, {0, 0, 1, 0, 1, 1});
  BOOST_TEST(gather(ids, parents, ints({1}, {3})) == "int32[3,1,2] [1 1 4 4 5 6]");
  BOOST_TEST(
      gather(ids, ints({3, 1, 2}, {0, 0, 0, 1, 1, 0}), ints({1}, {3})) ==
      "int32[3,1,2] [2 1 4 3 5 6]");
}

BOOST_AUTO_TEST_CASE(what_comes_after_the_first_end_is_the_end_token) {
  auto ids = ints({4, 1, 1}, {1, 9, 3, 4}), parents = ints({4, 1, 1}, {0, 0, 0, 0});
  BOOST_TEST(gather(ids, parents, ints({1}, {4})) == "int32[4,1,1] [1 9 9 9]");
}

BOOST_AUTO_TEST_CASE(each_row_of_the_batch_has_its_own_greatest_length) {
  auto ids = ints({3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 0});
  auto parents = ints({3, 3, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
  BOOST_TEST(gather(ids, parents, ints({3}, {2, 0, 99})) == "int32[3,3,1] [1 9 3 4 9 6 9 9 0]");
}

BOOST_AUTO_TEST_CASE(a_parent_that_is_no_beam_is_an_error) {
  for (auto parent : {-1, 2})
    BOOST_TEST(
        gather(ints({2, 1, 2}, {1, 2, 3, 4}), ints({2, 1, 2}, {0, 0, 0, parent}), ints({1}, {2})) ==
        "InvalidArgument: Saw invalid parent id " + std::to_string(parent) +
            " at (batch, time, beam) == (0, 0, 1)");
}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit_together_are_errors) {
  auto ids = ints({2, 1, 1}, {1, 2}), parents = ints({2, 1, 1}, {0, 0}), length = ints({1}, {2});
  BOOST_TEST(gather(ints({2}, {1, 2}), parents, length).starts_with("InvalidArgument: step_ids"));
  BOOST_TEST(
      gather(ids, ints({1, 2, 1}, {0, 0}), length).starts_with("InvalidArgument: parent_ids"));
  BOOST_TEST(
      gather(ids, parents, ints({2}, {2, 2})).starts_with("InvalidArgument: max_sequence_lengths"));
}

BOOST_AUTO_TEST_SUITE_END()
