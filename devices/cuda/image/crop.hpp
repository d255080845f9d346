#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/image/crop_geometry.hpp"

namespace troupe::cuda {

/// The sizes of images, of crops of them, and their boxes: [y1, x1, y2, x2] of each.
struct CropSizes {
  int64_t batch, height, width, channels;
  int64_t boxes, crop_height, crop_width;
  const float* corners;

  TROUPE_BOTH CropAxis rows_of(int64_t box) const {
    return {height, crop_height, corners[4 * box], corners[4 * box + 2]};
  }
  TROUPE_BOTH CropAxis columns_of(int64_t box) const {
    return {width, crop_width, corners[4 * box + 1], corners[4 * box + 3]};
  }
  TROUPE_BOTH int64_t image_elements() const { return batch * height * width * channels; }
  TROUPE_BOTH int64_t crop_elements() const { return boxes * crop_height * crop_width * channels; }
};

/// Sets float32 crops to pixels of images.
struct CropCall {
  float* crops;
  const void* images;
  const int32_t* image_of;  // of each box
  CropSizes sizes;
  bool is_nearest;
  float extrapolation;  // what a pixel outside of its image is
  cudaStream_t stream;
};
using LaunchCrop = void (*)(const CropCall& call);

/// Sets the gradients of images: the sums of those of crops, which are float32.
struct CropGradImageCall {
  void* images;
  const float* crops;
  /// The boxes of image i are those at [begins[i], begins[i + 1]) of `ordered`.
  const int32_t* begins;
  const int32_t* ordered;
  CropSizes sizes;
  bool is_nearest;
  cudaStream_t stream;
};
using LaunchCropGradImage = void (*)(const CropGradImageCall& call);

/// Sets the float32 gradients of bilinear crops' boxes, [boxes, 4].
struct CropGradBoxesCall {
  float* boxes;
  const float* crops;  // the gradients
  const void* images;
  const int32_t* image_of;
  CropSizes sizes;
  cudaStream_t stream;
};
using LaunchCropGradBoxes = void (*)(const CropGradBoxesCall& call);

// Null where there is none.
LaunchCrop find_crop(Element element);
LaunchCropGradImage find_crop_grad_image(Element element);
LaunchCropGradBoxes find_crop_grad_boxes(Element element);

}  // namespace troupe::cuda
