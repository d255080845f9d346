#pragma once

#include <span>
#include <vector>

#include "troupe/devices/cpu/image/resize.hpp"

namespace troupe::cpu {

/// The taps of each pixel of the resized image.
class ResizeTaps {
 public:
  using Taps = std::span<const vector::WeightedPixel>;

  void add_tap(const vector::WeightedPixel& tap) { taps_.push_back(tap); }
  /// Those that were added since the last end are of one pixel.
  void end_pixel() { ends_.push_back(taps_.size()); }
  std::span<vector::WeightedPixel> of_open_pixel() {
    return std::span(taps_).subspan(ends_.back());
  }

  /// How many pixels the resized image has.
  size_t count() const { return ends_.size() - 1; }
  Taps operator[](size_t pixel) const {
    return Taps(taps_).subspan(ends_[pixel], ends_[pixel + 1] - ends_[pixel]);
  }

  /// The same the other way round: for each of so many pixels of the image, its weights in those of
  /// the resized one.
  ResizeTaps turned(int64_t pixels) const;

  /// Those of all pixels one after the other, and where those of each begin, and end.
  Taps all() const { return taps_; }
  std::span<const size_t> bounds() const { return ends_; }

 private:
  std::vector<vector::WeightedPixel> taps_;
  std::vector<size_t> ends_ = {0};
};

using MakeTaps = ResizeTaps (*)(const ResizeAttrs& attrs, int64_t from, int64_t to);
/// The shares of the two pixels that one of the resized image lies between.
ResizeTaps make_linear_taps(const ResizeAttrs& attrs, int64_t from, int64_t to);
/// The weights of a cubic convolution.
ResizeTaps make_cubic_taps(const ResizeAttrs& attrs, int64_t from, int64_t to);
/// The share of each pixel in what a pixel of the resized image covers.
ResizeTaps make_area_taps(const ResizeAttrs& attrs, int64_t from, int64_t to);

}  // namespace troupe::cpu
