#pragma once

#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/vector/resize.hpp"

namespace troupe::cpu {

using Resizable =
    Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t, float16, bfloat16, float, double>;

/// How the pixels of two sizes of an image lie to each other.
struct ResizeAttrs {
  bool align_corners, half_pixel_centers;

  explicit ResizeAttrs(const Node& node);
  Status check() const;

  /// Pixels of the image for one of the resized image. In float, as TensorFlow computes it: another
  /// precision would choose other pixels.
  float scale(int64_t from, int64_t to) const;
  /// Where the centre of a pixel of the resized image lies in the image.
  float position(int64_t pixel, float scale) const;
  std::vector<vector::PixelsBetween> linear(int64_t from, int64_t to) const;
  std::vector<int64_t> nearest(int64_t from, int64_t to) const;
};

/// Fails unless it is the shape of images that have pixels.
Status check_resize_images(const Shape& shape);

/// `images` with the height and width that the tensor `size` says.
Result<Shape> resized_shape(const Shape& images, const Tensor& size);

/// Checks the gradients with respect to resized images against the shape of the images.
Status check_resize_gradients(const Shape& gradients, const Shape& images);

/// A kernel for each dtype of its attribute T: compute(launch, attributes, zero of the dtype).
template <class... Ts, class Compute>
KernelCatalog::Make resize_kernel(Types<Ts...> dtypes, Compute compute) {
  return [=](const Node& node) -> Result<Kernel> {
    ResizeAttrs attrs(node);
    return dispatch(dtypes, node.attr<DType>("T"), [&](auto zero) {
      return Kernel{.compute = [=](Launch& launch) { return compute(launch, attrs, zero); }};
    });
  };
}

// The kernels of the family that have a file of their own: by weighted sums of many pixels.
void add_weighted_resize_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
