#include "troupe/devices/cpu/image/resize.hpp"

#include <algorithm>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

template <class T>
Tensor channel_of(const Tensor& images, int64_t channel) {
  auto shape = images.shape();
  auto channels = shape[3];
  shape.set(3, 1);
  std::vector<T> values;
  for (int64_t i = 0; i < shape.elements(); ++i)
    values.push_back(images.data<T>()[i * channels + channel]);
  return Tensor::of<T>(shape, std::span<const T>(values));
}

bool same_floats(const Tensor& x, const Tensor& y) {
  return std::ranges::equal(x.values<float>(), y.values<float>());
}

/// Images of many channels are resized as those of each.
template <class T>
void check_channels(const std::string& op, int64_t channels) {
  Tensor images = varied<T>({2, 9, 13, channels});
  auto size = vec<int32_t>({7, 29});
  auto resized = run_op(op, {images, size});
  BOOST_REQUIRE(resized);
  for (int64_t c = 0; c < channels; ++c) {
    auto alone = run_op(op, {channel_of<T>(images, c), size});
    BOOST_REQUIRE(alone);
    BOOST_TEST(same_floats(channel_of<float>(resized->front(), c), alone->front()));
  }
}

/// Gradients of many channels are those of each.
template <class T>
void check_gradients(const std::string& op, int64_t channels) {
  auto dy = varied<float>({2, 7, 29, channels});
  Tensor images = varied<T>({2, 9, 13, channels});
  Attrs attrs = {{"half_pixel_centers", true}};
  auto got = run_op(op, {dy, images}, attrs);
  BOOST_REQUIRE(got);
  for (int64_t c = 0; c < channels; ++c) {
    auto alone = run_op(op, {channel_of<float>(dy, c), channel_of<T>(images, c)}, attrs);
    BOOST_REQUIRE(alone);
    const Tensor channel = channel_of<T>(got->front(), c), &wanted = alone->front();
    BOOST_TEST(std::ranges::equal(channel.values<T>(), wanted.values<T>()));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resize)

BOOST_AUTO_TEST_CASE(each_channel_is_resized_for_itself) {
  for (const std::string op : {"ResizeBilinear", "ResizeBicubic", "ResizeArea"})
    BOOST_TEST_CONTEXT(op) for (int64_t channels : {2, 3, 4, 21}) {
      check_channels<float>(op, channels);
      check_channels<double>(op, channels);
    }
}

BOOST_AUTO_TEST_CASE(each_channel_has_gradients_for_itself) {
  for (const std::string op : {"ResizeBilinearGrad", "ResizeBicubicGrad"})
    BOOST_TEST_CONTEXT(op) for (int64_t channels : {2, 3, 4, 21}) {
      check_gradients<float>(op, channels);
      check_gradients<double>(op, channels);
    }
  for (int64_t channels : {3, 21}) check_gradients<float16>("ResizeBilinearGrad", channels);
}

BOOST_AUTO_TEST_CASE(gradients_of_16_bits_are_rounded_sums_of_floats) {
  auto dy = varied<float>({1, 7, 29, 5});
  auto wide = run_op("ResizeBilinearGrad", {dy, varied<float>({1, 3, 4, 5})});
  auto half = run_op("ResizeBilinearGrad", {dy, varied<float16>({1, 3, 4, 5})});
  BOOST_REQUIRE((wide && half));
  for (size_t i = 0; i < 60; ++i)
    BOOST_TEST(
        static_cast<float>(half->front().values<float16>()[i]) ==
        static_cast<float>(static_cast<float16>(wide->front().values<float>()[i])));
}

BOOST_AUTO_TEST_CASE(pixels_of_wide_images_are_weighted) {
  std::vector<float> line, halves;
  for (int i = 0; i < 42; ++i) line.push_back(static_cast<float>(i));
  for (int i = 0; i < 21; ++i) halves.push_back(static_cast<float>(2 * i) + 0.5f);
  auto image = Tensor::of<float>({1, 1, 42, 1}, std::span<const float>(line));
  auto area = run_op("ResizeArea", {image, vec<int32_t>({1, 21})});
  BOOST_REQUIRE(area);
  BOOST_TEST(std::ranges::equal(area->front().values<float>(), halves));
  auto cubic = run_op("ResizeBicubic", {image, vec<int32_t>({1, 21})});
  BOOST_REQUIRE(cubic);
  for (int i = 0; i < 21; ++i)
    BOOST_TEST(cubic->front().values<float>()[size_t(i)] == static_cast<float>(2 * i));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
