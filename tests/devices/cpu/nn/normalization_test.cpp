#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

/// One image of so many rows of pixels, whose channels have means of their own, far from 0, and
/// each a first pixel far from that.
template <class T>
struct Channels {
  static constexpr int64_t width = 50;

  int64_t rows, channels;

  int64_t pixels() const { return rows * width; }
  double value(int64_t pixel, int64_t channel) const {
    auto wave = double((pixel * 7919 + channel * 31) % 2003 - 1001) / 1001;
    return 100 * double(channel % 7) + (pixel == 0 ? 50 : wave);
  }
  double gradient(int64_t pixel, int64_t channel) const {
    return double((pixel * 104'729 + channel) % 1009) / 1009 - 0.3;
  }
  template <class F>
  Tensor image(const F& f) const {
    std::vector<T> values;
    for (int64_t pixel = 0; pixel < pixels(); ++pixel)
      for (int64_t c = 0; c < channels; ++c) values.push_back(static_cast<T>(f(pixel, c)));
    return Tensor::of<T>({1, rows, width, channels}, std::span<const T>(values));
  }
  Tensor of_channels(double value) const {
    std::vector<T> values(static_cast<size_t>(channels), static_cast<T>(value));
    return Tensor::of<T>({channels}, std::span<const T>(values));
  }
};

/// The greatest difference of a tensor's elements from f(pixel, channel).
template <class T, class F>
double difference(const Tensor& got, int64_t channels, const F& f) {
  const auto* values = got.data<T>();
  double most = 0;
  for (int64_t i = 0; i < got.elements(); ++i)
    most = std::max(most, std::abs(double(values[i]) - f(i / channels, i % channels)));
  return most;
}

template <class T>
void check_batch_norm(int64_t rows, int64_t channels, double most) {
  Channels<T> images{rows, channels};
  auto count = double(images.pixels());
  std::vector<double> mean, deviation, of_scale, of_offset;
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0, products = 0, gradients = 0;
    for (int64_t i = 0; i < images.pixels(); ++i) sum += images.value(i, c);
    for (int64_t i = 0; i < images.pixels(); ++i) {
      auto centered = images.value(i, c) - sum / count;
      squares += centered * centered;
      products += centered * images.gradient(i, c);
      gradients += images.gradient(i, c);
    }
    mean.push_back(sum / count);
    deviation.push_back(std::sqrt(squares / count + double(0.001f)));
    of_scale.push_back(products / deviation.back());
    of_offset.push_back(gradients);
  }
  auto x = images.image([&](auto i, auto c) { return images.value(i, c); });
  auto dy = images.image([&](auto i, auto c) { return images.gradient(i, c); });
  auto scale = images.of_channels(2), offset = images.of_channels(0.5);
  auto none = Tensor::of<T>({0}, std::span<const T>());
  Attrs attrs = {{"epsilon", 0.001f}};
  auto normal = [&](int64_t i, int64_t c) {
    return (images.value(i, c) - mean[size_t(c)]) / deviation[size_t(c)];
  };
  auto y = run_op("FusedBatchNorm", {x, scale, offset, none, none}, attrs);
  BOOST_REQUIRE(y);
  auto expected = [&](int64_t i, int64_t c) { return 2 * normal(i, c) + 0.5; };
  BOOST_TEST(difference<T>((*y)[0], channels, expected) <= most);
  auto dx = run_op("FusedBatchNormGrad", {dy, x, scale, (*y)[3], (*y)[4]}, attrs);
  BOOST_REQUIRE(dx);
  auto gradient = [&](int64_t i, int64_t c) {
    auto at = size_t(c);
    return 2 / deviation[at] *
           (images.gradient(i, c) - (of_offset[at] + normal(i, c) * of_scale[at]) / count);
  };
  BOOST_TEST(difference<T>((*dx)[0], channels, gradient) <= most);
  auto relative = [&](const Tensor& got, const std::vector<double>& sums) {
    return difference<T>(got, channels, [&](auto, auto c) { return sums[size_t(c)]; }) / count;
  };
  BOOST_TEST(relative((*dx)[1], of_scale) <= most);
  BOOST_TEST(relative((*dx)[2], of_offset) <= most);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(batch_normalization)

BOOST_AUTO_TEST_CASE(channels_far_from_zero_are_normalized) {
  with_each_target([] {
    for (int64_t channels : {1, 7, 8, 31, 64, 150}) BOOST_TEST_CONTEXT(channels) {
        check_batch_norm<float>(6, channels, 5e-4);
        check_batch_norm<double>(6, channels, 1e-8);
      }
    check_batch_norm<float>(200, 64, 3e-3);  // in parts
  });
}

BOOST_AUTO_TEST_CASE(a_channel_of_one_value_has_no_variance) {
  auto x = vec({1, 1, 3, 2}, {0.1, 7, 0.1, 7, 0.1, 8}), ones = vec({1, 1});
  auto none = Tensor::of<float>({0}, {});
  auto outputs = run_op("FusedBatchNorm", {x, ones, ones, none, none});
  BOOST_REQUIRE(outputs);
  BOOST_TEST((*outputs)[4].to_string() == "float32[2] [0 0.222222]");
}

BOOST_AUTO_TEST_CASE(infinity_is_in_the_mean_wherever_it_stands) {
  auto ones = vec({1, 1}), none = Tensor::of<float>({0}, {});
  constexpr auto most = std::numeric_limits<float>::infinity();
  for (const auto& x :
       {vec({1, 1, 2, 2}, {most, 1, 2, -most}), vec({1, 1, 2, 2}, {2, -most, most, 1})}) {
    auto outputs = run_op("FusedBatchNorm", {x, ones, ones, none, none});
    BOOST_REQUIRE(outputs);
    BOOST_TEST((*outputs)[1].to_string() == "float32[2] [inf -inf]");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
