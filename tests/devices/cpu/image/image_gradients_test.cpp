#include <cmath>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// An op whose result is float32: the sum of its result, each element times a weight of its own.
struct ImageSum {
  Builder b;
  Values inputs;
  std::vector<Feed> feeds;
  Value total;

  ImageSum(const std::string& op, const Tensors& values, const Attrs& attrs) {
    for (const auto& value : values) {
      inputs.push_back(b.placeholder(value.dtype()));
      feeds.push_back({inputs.back(), value});
    }
    auto result = b.op(op, inputs, attrs);
    auto shape = run_graph(b, feeds, {result});
    BOOST_REQUIRE_MESSAGE(shape.ok(), shape.status().to_string());
    total = b.reduce_sum(result * b.constant(varied<float>((*shape)[0].shape())));
  }

  double with(size_t input, const Tensor& value) {
    auto changed = feeds;
    changed[input].value = value;
    auto result = run_graph(b, changed, {total});
    BOOST_REQUIRE(result.ok());
    return static_cast<double>((*result)[0].value<float>());
  }
};

Tensor shifted(const Tensor& tensor, size_t i, float by) {
  std::vector<float> values(tensor.values<float>().begin(), tensor.values<float>().end());
  values[i] += by;
  return Tensor::of<float>(tensor.shape(), std::span<const float>(values));
}

/// Compares with central differences, which are exact where the result is linear in each element.
void check_image_gradient(
    const std::string& op, const Tensors& values, size_t input, float step,
    const Attrs& attrs = {}) {
  ImageSum sum(op, values, attrs);
  auto derivative = troupe::gradients(sum.b, {sum.total}, {sum.inputs[input]});
  BOOST_REQUIRE_MESSAGE(derivative.ok(), derivative.status().to_string());
  auto got = run_graph(sum.b, sum.feeds, {(*derivative)[0]});
  BOOST_REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  const auto& value = values[input];
  BOOST_REQUIRE(((*got)[0].shape() == value.shape()));
  for (size_t i = 0; i < value.values<float>().size(); ++i) {
    auto difference =
        (sum.with(input, shifted(value, i, step)) - sum.with(input, shifted(value, i, -step))) /
        (2 * static_cast<double>(step));
    BOOST_TEST(
        std::abs(static_cast<double>((*got)[0].values<float>()[i]) - difference) < 2e-4,
        op << ", element " << i << ": " << (*got)[0].values<float>()[i] << " instead of "
           << difference);
  }
}

BOOST_AUTO_TEST_SUITE(image_gradients)

BOOST_AUTO_TEST_CASE(derivatives_of_resized_images_are_those_of_central_differences) {
  auto images = varied<float>({2, 3, 4, 2});
  for (const auto* op : {"ResizeBilinear", "ResizeBicubic"})
    for (auto [corners, centres] : {std::pair(false, false), {true, false}, {false, true}})
      for (auto size : {vec<int32_t>({5, 2}), vec<int32_t>({2, 7})})
        check_image_gradient(
            op, {images, size}, 0, 1,
            {{"align_corners", corners}, {"half_pixel_centers", centres}});
}

BOOST_AUTO_TEST_CASE(derivatives_of_crops_are_those_of_central_differences) {
  auto images = varied<float>({2, 5, 6, 2});
  auto boxes =
      vec<float>({3, 4}, {0.13, 0.22, 0.71, 0.93, 0.9, 0.83, 0.16, 0.07, -0.3, 0.23, 1.4, 0.66});
  auto of_images = vec<int32_t>({0, 1, 1});
  for (auto size : {vec<int32_t>({1, 1}), vec<int32_t>({3, 4})})
    for (const auto* method : {"bilinear", "nearest"})
      check_image_gradient(
          "CropAndResize", {images, boxes, of_images, size}, 0, 1,
          {{"method", std::string(method)}});
  for (auto size : {vec<int32_t>({1, 1}), vec<int32_t>({2, 3})})
    check_image_gradient("CropAndResize", {images, boxes, of_images, size}, 1, 1.0f / 1024);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::testing
