#include "troupe/devices/cpu/array/padding.hpp"

#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

Tensor counted(const Shape& shape) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<int32_t>(i + 1));
  return Tensor::of<int32_t>(shape, std::span<const int32_t>(values));
}

/// How many elements of a padded tensor [a, b, c] are not what they should be.
int64_t wrong_in_padded(const Tensor& got, const Shape& inner, const int32_t (&paddings)[6]) {
  const auto& outer = got.shape();
  const auto* value = got.data<int32_t>();
  int64_t wrong = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    int64_t at[3] = {i / outer[2] / outer[1], i / outer[2] % outer[1], i % outer[2]};
    int64_t source = 0;
    auto is_inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      auto position = at[axis] - paddings[2 * axis];
      is_inside &= position >= 0 && position < inner[axis];
      source = source * inner[axis] + position;
    }
    wrong += value[i] != (is_inside ? source + 1 : -7);
  }
  return wrong;
}

void check_padded(const Shape& shape, const int32_t (&paddings)[6]) {
  auto sizes = Tensor::of<int32_t>({3, 2}, std::span<const int32_t>(paddings));
  auto minus_seven = Tensor::of<int32_t>({}, {-7});
  auto padded = run_op("PadV2", {counted(shape), sizes, minus_seven});
  BOOST_REQUIRE(padded);
  BOOST_TEST(wrong_in_padded(padded->front(), shape, paddings) == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(padding)

BOOST_AUTO_TEST_CASE(tensors_of_all_shapes_are_padded) {
  check_padded({2, 3, 4}, {1, 2, 0, 3, 2, 0});
  check_padded({2, 3, 4}, {0, 0, 1, 0, 0, 0});
  check_padded({2, 3, 4}, {1, 0, 0, 0, 0, 0});
  check_padded({2, 3, 4}, {0, 0, 0, 0, 0, 0});
  check_padded({0, 3, 4}, {1, 1, 0, 0, 0, 0});
  check_padded({70, 60, 90}, {0, 0, 3, 1, 0, 0});          // on many threads
  check_padded({1, 2, 300'000}, {0, 0, 1, 0, 70'000, 5});  // rows in pieces, some without elements
}

BOOST_AUTO_TEST_CASE(texts_are_padded_with_empty_ones) {
  auto padded = run_op("Pad", {Tensor::of<std::string>({1}, {"a"}), vec<int32_t>({1, 2}, {1, 1})});
  BOOST_REQUIRE(padded);
  BOOST_TEST(padded->front().to_string() == "string[3] [\"\" \"a\" \"\"]");
}

BOOST_AUTO_TEST_CASE(a_pad_without_a_value_is_of_zeros) {
  auto padded = run_op("Pad", {counted({2, 300'000}), vec<int64_t>({2, 2}, {1, 0, 0, 70'000})});
  BOOST_REQUIRE(padded);
  auto values = padded->front().values<int32_t>();
  int64_t wrong = 0;
  for (int64_t i = 0; i < std::ssize(values); ++i) {
    auto row = i / 370'000 - 1, column = i % 370'000;
    wrong += values[static_cast<size_t>(i)] !=
             (row >= 0 && column < 300'000 ? row * 300'000 + column + 1 : 0);
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(long_rows_are_tiled_in_pieces) {
  constexpr int64_t size = 100'003, times = 4;
  auto tiled = run_op("Tile", {counted({1, size}), vec<int32_t>({2, times})});
  BOOST_REQUIRE(tiled);
  auto values = tiled->front().values<int32_t>();
  BOOST_TEST(std::ssize(values) == 2 * times * size);
  int64_t wrong = 0;
  for (int64_t i = 0; i < std::ssize(values); ++i)
    wrong += values[static_cast<size_t>(i)] != i % size + 1;
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
