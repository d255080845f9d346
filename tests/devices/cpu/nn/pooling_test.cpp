#include "troupe/devices/cpu/nn/pooling.hpp"

#include <algorithm>
#include <cmath>

#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {

namespace {

/// Images that are pooled by windows of 3x3 at strides of 2, of which none is beyond the edge.
template <class T>
struct Images {
  static constexpr int64_t count = 3, size = 21, pooled = 10;

  int64_t channels;
  Tensor values, gradients;
  std::vector<double> greatest, averages, of_greatest, of_averages;  // what is expected

  explicit Images(int64_t channels)
      : channels(channels),
        values(rounded({count, size, size, channels})),
        gradients(rounded({count, pooled, pooled, channels})),
        of_greatest(static_cast<size_t>(values.elements())),
        of_averages(of_greatest) {
    for (int64_t i = 0; i < gradients.elements(); ++i) pool(i);
  }

  Attrs attrs() const {
    std::vector<int64_t> sizes = {1, 3, 3, 1}, strides = {1, 2, 2, 1};
    return {{"ksize", sizes}, {"strides", strides}, {"padding", "VALID"}};
  }

 private:
  /// Halves: sums of them are exact, and many are equal.
  static Tensor rounded(const Shape& shape) {
    std::vector<T> values;
    for (int64_t i = 0; i < shape.elements(); ++i)
      values.push_back(static_cast<T>(static_cast<double>(i * 7919 % 31 - 15) / 2));
    return Tensor::of<T>(shape, std::span<const T>(values));
  }

  void pool(int64_t output) {
    auto channel = output % channels, column = output / channels % pooled;
    auto row = output / channels / pooled % pooled, image = output / channels / pooled / pooled;
    auto x = values.values<T>();
    size_t greatest_at = 0;
    double sum = 0, gradient = double(gradients.values<T>()[size_t(output)]);
    for (int64_t cell = 0; cell < 9; ++cell) {
      auto position = (image * size + row * 2 + cell / 3) * size + column * 2 + cell % 3;
      auto at = static_cast<size_t>(position * channels + channel);
      if (cell == 0 || x[at] > x[greatest_at]) greatest_at = at;
      sum += double(x[at]);
      of_averages[at] += gradient / 9;
    }
    greatest.push_back(double(x[greatest_at]));
    averages.push_back(sum / 9);
    of_greatest[greatest_at] += gradient;
  }
};

template <class T>
void check_close(const Result<Tensors>& got, const std::vector<double>& expected, double most) {
  BOOST_REQUIRE(got);
  auto values = got->front().template values<T>();
  BOOST_REQUIRE_EQUAL(values.size(), expected.size());
  double difference = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    difference = std::max(difference, std::abs(double(values[i]) - expected[i]));
  BOOST_TEST(difference <= most);
}

template <class T>
void check_pools(int64_t channels, double most) {
  Images<T> images(channels);
  const auto &x = images.values, &dy = images.gradients;
  auto sizes = Tensor::of<int32_t>({4}, {3, 21, 21, static_cast<int32_t>(channels)});
  auto attrs = images.attrs();
  auto greatest = run_op("MaxPool", {x}, attrs);
  check_close<T>(greatest, images.greatest, 0);
  check_close<T>(
      run_op("MaxPoolGrad", {x, greatest->front(), dy}, attrs), images.of_greatest, most);
  check_close<T>(run_op("AvgPool", {x}, attrs), images.averages, most);
  check_close<T>(run_op("AvgPoolGrad", {sizes, dy}, attrs), images.of_averages, most);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pooling)

BOOST_AUTO_TEST_CASE(pools_of_any_number_of_channels_are_those_of_each_channel) {
  for (int64_t channels : {1, 2, 3, 7, 16, 31, 64, 150}) BOOST_TEST_CONTEXT(channels) {
      with_each_target([&] {
        check_pools<float>(channels, 1e-5);
        check_pools<double>(channels, 1e-12);
      });
    }
  check_pools<bfloat16>(150, 0.1);
}

BOOST_AUTO_TEST_CASE(windows_of_any_width_are_averaged_also_of_few_channels) {
  constexpr int64_t channels = 3, width = 80;
  std::vector<float> cells;
  for (int64_t i = 0; i < width * channels; ++i) cells.push_back(static_cast<float>(i));
  auto x = Tensor::of<float>({1, 1, width, channels}, std::span<const float>(cells));
  with_each_target([&] {
    for (int64_t window : {1, 5, 21, 22, 80}) {
      std::vector<int64_t> sizes = {1, 1, window, 1}, ones = {1, 1, 1, 1};
      auto y = run_op("AvgPool", {x}, {{"ksize", sizes}, {"strides", ones}, {"padding", "VALID"}});
      BOOST_REQUIRE_MESSAGE(y.ok(), y.status().to_string());
      for (int64_t i = 0; i < y->front().elements(); ++i) {
        auto middle = static_cast<float>(i) + static_cast<float>((window - 1) * channels) / 2;
        BOOST_TEST(y->front().data<float>()[i] == middle);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(nan_is_the_greatest_wherever_it_stands) {
  constexpr int64_t channels = 20;  // in vectors, and singly
  Attrs attrs = {
      {"ksize", std::vector<int64_t>{1, 1, 3, 1}},
      {"strides", std::vector<int64_t>{1, 1, 3, 1}},
      {"padding", "VALID"}};
  std::vector<float> cells, ones(3 * channels, 1), expected;
  for (double value : {nan, 1., 2., 1., nan, 2., 1., 2., nan})
    cells.insert(cells.end(), channels, static_cast<float>(value));
  for (float sum : {1, 0, 0, 0, 1, 0, 0, 0, 1}) expected.insert(expected.end(), channels, sum);
  auto x = Tensor::of<float>({1, 1, 9, channels}, std::span<const float>(cells));
  auto dy = Tensor::of<float>({1, 1, 3, channels}, std::span<const float>(ones));
  with_each_target([&] {
    auto y = run_op("MaxPool", {x}, attrs), dx = run_op("MaxPoolGrad", {x, dy, dy}, attrs);
    BOOST_REQUIRE((y && dx));
    for (auto greatest : y->front().values<float>()) BOOST_TEST(std::isnan(greatest));
    BOOST_TEST(std::ranges::equal(dx->front().values<float>(), expected));
  });
}

BOOST_AUTO_TEST_CASE(any_number_of_images_without_elements_takes_no_time) {
  Attrs attrs = {
      {"ksize", std::vector<int64_t>{1, 2, 2, 1}},
      {"strides", std::vector<int64_t>{1, 1, 1, 1}},
      {"padding", "SAME"}};
  for (auto dtype : {DType::bfloat16, DType::float32, DType::int32}) {
    auto x = *Tensor::allocate(dtype, {int64_t{1} << 40, 0, 3, 2});
    BOOST_TEST(run_op("MaxPool", {x}, attrs).ok());
    BOOST_TEST(run_op("MaxPoolGrad", {x, x, x}, attrs).ok());
    if (dtype == DType::int32) continue;
    BOOST_TEST(run_op("AvgPool", {x}, attrs).ok());
    auto shape = vec<int32_t>({1 << 30, 0, 3, 2});
    auto dy = *Tensor::allocate(dtype, {1 << 30, 0, 3, 2});
    BOOST_TEST(run_op("AvgPoolGrad", {shape, dy}, attrs).ok());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
