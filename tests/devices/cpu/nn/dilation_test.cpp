#include <algorithm>
#include <limits>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// A dilation at strides of 2 and rates of 2, and what is expected of it: of equal sums the first
/// counts. All numbers are multiples of 1/4, so that sums are exact.
template <class T>
struct Dilation {
  static constexpr int64_t images = 2, size = 9, kernel = 3, out = 5, before = 2;

  int64_t channels;
  Tensor input, filter, gradients;
  std::vector<T> greatest, of_input, of_filter;

  explicit Dilation(int64_t channels)
      : channels(channels),
        input(quarters({images, size, size, channels})),
        filter(quarters({kernel, kernel, channels})),
        gradients(quarters({images, out, out, channels})),
        of_input(static_cast<size_t>(input.elements())),
        of_filter(static_cast<size_t>(filter.elements())) {
    for (int64_t i = 0; i < gradients.elements(); ++i) dilate(i);
  }

  Result<Tensors> run(const std::string& op) const {
    std::vector<int64_t> twos = {1, 2, 2, 1};
    Attrs attrs = {{"strides", twos}, {"rates", twos}, {"padding", "SAME"}};
    if (op.empty()) return run_op("Dilation2D", {input, filter}, attrs);
    return run_op("Dilation2DBackprop" + op, {input, filter, gradients}, attrs);
  }

 private:
  static Tensor quarters(const Shape& shape) {
    std::vector<T> values;
    for (int64_t i = 0; i < shape.elements(); ++i)
      values.push_back(static_cast<T>(i * 7919 % 13 - 6) / T(4));
    return Tensor::of<T>(shape, std::span<const T>(values));
  }

  void dilate(int64_t output) {
    auto channel = output % channels, column = output / channels % out;
    auto row = output / channels / out % out, image = output / channels / out / out;
    T best = std::numeric_limits<T>::lowest();
    size_t best_input = 0, best_tap = 0;
    for (int64_t tap = 0; tap < kernel * kernel; ++tap) {
      auto y = 2 * row + 2 * (tap / kernel) - before, x = 2 * column + 2 * (tap % kernel) - before;
      if (y < 0 || x < 0 || y >= size || x >= size) continue;
      auto at = static_cast<size_t>(((image * size + y) * size + x) * channels + channel);
      auto of_tap = static_cast<size_t>(tap * channels + channel);
      auto sum = input.values<T>()[at] + filter.values<T>()[of_tap];
      if (sum <= best) continue;
      best = sum;
      best_input = at;
      best_tap = of_tap;
    }
    greatest.push_back(best);
    of_input[best_input] += gradients.values<T>()[size_t(output)];
    of_filter[best_tap] += gradients.values<T>()[size_t(output)];
  }
};

template <class T>
void check_dilation(int64_t channels) {
  Dilation<T> dilation(channels);
  for (const auto& [op, wanted] :
       {std::pair("", dilation.greatest),
        {"Input", dilation.of_input},
        {"Filter", dilation.of_filter}}) {
    auto got = dilation.run(op);
    BOOST_REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    const Tensor& found = got->front();
    BOOST_TEST(std::ranges::equal(found.values<T>(), wanted), op << " of " << channels);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dilation)

BOOST_AUTO_TEST_CASE(
    each_channel_is_dilated_for_itself_and_the_first_of_equal_sums_gets_gradients) {
  for (int64_t channels : {1, 3, 4, 7, 16, 37}) {
    check_dilation<float>(channels);
    check_dilation<double>(channels);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
