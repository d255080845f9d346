#pragma once

#include <cstdint>
#include <span>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The image that each box to crop is of.
struct CropImages {
  std::span<const int32_t> images;

  int64_t count() const { return std::ssize(images); }
  int32_t operator[](int64_t box) const { return images[static_cast<size_t>(box)]; }

  /// Fails where one is none of the batch. Reads the indices, and only the shape of the boxes.
  static Result<CropImages> of(const Tensor& boxes, const Tensor& indices, int64_t batch);
};

/// The shapes of images and of crops of them, [batch, height, width, channels], and what each crop
/// is of.
struct CropShapes {
  Shape image, crop;
  CropImages images;

  static Result<CropShapes> of(
      const Shape& image, const Tensor& boxes, const Tensor& indices, const Tensor& size);
  /// Checks the gradients with respect to crops of images of that shape.
  static Result<CropShapes> of_gradients(
      const Shape& gradients, const Shape& image, const Tensor& boxes, const Tensor& indices);
};

}  // namespace troupe::cpu
