#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Where patches lie along one axis of the images.
struct PatchAxis {
  int64_t patch, stride, rate;  // the elements of a patch, and how far apart they and patches are
  int64_t size = 0, count = 0, before = 0;  // of an image: its size, patches, and zeros before it

  /// Sets those of an image; fails where no patch lies in it.
  Status fit(int64_t image_size, bool is_same);
  /// The image's element that is one of a patch; outside of the image where that is a zero.
  int64_t place(int64_t patch_index, int64_t element) const {
    return patch_index * stride - before + element * rate;
  }
  bool contains(int64_t place) const { return place >= 0 && place < size; }
};

/// The patches that ExtractImagePatches takes, or ExtractVolumePatches.
struct PatchAxes {
  PatchAxis z{1, 1, 1}, y, x;  // `z` is that of volumes alone
  bool is_volume, is_same;

  explicit PatchAxes(const Node& node);
  /// The elements of a patch in space; clipped where there are more than 2^62.
  int64_t area() const;
  /// Fits the axes to images of that shape, and returns the shape of the result.
  Result<Shape> fit(const Shape& images);
};

}  // namespace troupe::cpu
