#include "troupe/devices/cpu/vector/resize.hpp"

#include <vector>

#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

using cpu::vector::PixelsBetween, cpu::vector::WeightedPixel;

constexpr int64_t width = 5, most_channels = 4 * most_lanes + 29;

/// Two rows of pixels of so many channels, one after the other.
template <class T>
std::vector<T> two_rows(int64_t channels) {
  std::vector<T> values;
  for (int64_t i = 0; i < 2 * width * channels; ++i)
    values.push_back(static_cast<T>(i * 7919 % 251) / T(2));
  return values;
}

template <class T>
void check_interpolation(DType dtype) {
  const std::vector<PixelsBetween> columns = {{0, 1, 0.3f}, {3, 4, 0.9f}, {4, 4, 0.5f}, {2, 3, 0}};
  constexpr float lower = 0.7f;
  for (int64_t channels = 1; channels <= most_channels; ++channels) {
    const auto values = two_rows<T>(channels);
    const auto *top = values.data(), *bottom = top + width * channels;
    std::vector<float> got(columns.size() * static_cast<size_t>(channels)), wanted;
    for (const auto& column : columns)
      for (int64_t c = 0; c < channels; ++c) {
        auto between = [&](const T* row) {
          auto a = static_cast<float>(row[column.lower * channels + c]);
          return a + (static_cast<float>(row[column.upper * channels + c]) - a) * column.share;
        };
        wanted.push_back(between(top) + (between(bottom) - between(top)) * lower);
      }
    cpu::vector::resize_loops(dtype).interpolate(
        {top, bottom, lower, columns.data(), std::ssize(columns), channels}, got.data());
    BOOST_TEST(same_bits(got.data(), wanted.data(), std::ssize(wanted)), channels << " channels");
  }
}

template <class T>
void check_sums(DType dtype) {
  const std::vector<WeightedPixel> pixels = {{0, 0.3f}, {9, -0.2f}, {4, 1.7f}, {4, 0.9f}};
  const std::vector<size_t> bounds = {0, 3, 3, 4};  // one sum of none
  for (int64_t channels = 1; channels <= most_channels; ++channels) {
    const auto values = two_rows<T>(channels);
    std::vector<float> got(3 * static_cast<size_t>(channels), -1), wanted(got.size(), 0);
    for (size_t sum = 0; sum < 3; ++sum)
      for (auto i = bounds[sum]; i < bounds[sum + 1]; ++i)
        for (int64_t c = 0; c < channels; ++c)
          wanted[sum * static_cast<size_t>(channels) + static_cast<size_t>(c)] +=
              static_cast<float>(values[static_cast<size_t>(pixels[i].pixel * channels + c)]) *
              pixels[i].weight;
    cpu::vector::resize_loops(dtype).sum_weighted(
        values.data(), {pixels.data(), bounds.data(), 3, channels}, got.data());
    BOOST_TEST(same_bits(got.data(), wanted.data(), std::ssize(wanted)), channels << " channels");
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resize_loops)

BOOST_AUTO_TEST_CASE(pixels_of_any_number_of_channels_lie_between_four) {
  with_each_target([] {
    check_interpolation<float>(DType::float32);
    check_interpolation<uint8_t>(DType::uint8);
  });
}

BOOST_AUTO_TEST_CASE(pixels_of_any_number_of_channels_are_weighted_and_added_up) {
  with_each_target([] {
    check_sums<float>(DType::float32);
    check_sums<uint8_t>(DType::uint8);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
