#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// Where one axis of a crop takes its pixels from, as CPUs compute it: a position rounded otherwise
/// would be between other pixels.
struct CropAxis {
  int64_t pixels, crop;  // the sizes of image and crop
  float low, high;       // the corners, where 0 is the first pixel and 1 the last

  TROUPE_BOTH float last() const { return static_cast<float>(pixels - 1); }

  /// The position in the image of a pixel of the crop. Numbers too near to 0 to be normal ones are
  /// 0 to CPUs.
  TROUPE_BOTH float position(int64_t i) const {
    auto at = crop > 1 ? start() + rounded_product(static_cast<float>(i), step())
                       : static_cast<float>(
                             0.5 * static_cast<double>(low + high) * static_cast<double>(last()));
    return fabsf(at) < 1.17549435e-38f ? 0.0f : at;
  }
  /// Outside of the image there is nothing; NaN is outside.
  TROUPE_BOTH bool contains(float position) const { return position >= 0 && position <= last(); }

  /// The pixel at a whole position. Large numbers are not exact in float.
  TROUPE_BOTH int64_t pixel(float position) const {
    auto at = static_cast<int64_t>(position);
    return at < pixels - 1 ? at : pixels - 1;
  }

  /// What the position changes by, where the low corner does, and where the high one does.
  TROUPE_BOTH float slope_by_low(int64_t i) const {
    return crop == 1 ? 0.5f * last() : last() * (1 - share(i));
  }
  TROUPE_BOTH float slope_by_high(int64_t i) const {
    return crop == 1 ? 0.5f * last() : last() * share(i);
  }

  /// Pixels [begin, end) of the crop, among which are all whose positions are less than one pixel
  /// away from that one of the image.
  struct Range {
    int64_t begin, end;
  };
  TROUPE_BOTH Range range_near(int64_t pixel) const {
    constexpr int64_t exact_max = 1 << 23;
    if (crop == 1 || pixels > exact_max || crop > exact_max) return {0, crop};
    double first = start(), by = step();
    if (!(fabs(first) <= 3.5e38) || !(fabs(by) <= 3.5e38)) return {0, 0};
    if (by == 0) return {0, crop};
    auto from = (static_cast<double>(pixel) - 1 - first) / by;
    auto to = (static_cast<double>(pixel) + 1 - first) / by;
    auto least = from < to ? from : to, most = from < to ? to : from;
    // Positions are rounded to floats, by so much of the numbers that they are made from.
    auto slack = 2 + 1e-6 * (static_cast<double>(crop) + static_cast<double>(pixels) / fabs(by));
    least = ceil(least - slack);
    most = floor(most + slack);
    if (!(least < static_cast<double>(crop)) || !(most >= 0)) return {0, 0};
    return {
        least > 0 ? static_cast<int64_t>(least) : 0,
        most + 1 < static_cast<double>(crop) ? static_cast<int64_t>(most) + 1 : crop};
  }

 private:
  TROUPE_BOTH float start() const { return rounded_product(low, last()); }
  TROUPE_BOTH float step() const {
    return rounded_product(high - low, last()) / static_cast<float>(crop - 1);
  }
  TROUPE_BOTH float share(int64_t i) const {
    return static_cast<float>(i) / static_cast<float>(crop - 1);
  }
};

/// The two pixels around a position, and how far it is from the lower one.
struct CropPixels {
  int64_t lower, upper;
  float share;  // of upper

  TROUPE_BOTH CropPixels(const CropAxis& axis, float position)
      : lower(axis.pixel(floorf(position))),
        upper(axis.pixel(ceilf(position))),
        share(position - floorf(position)) {}
};

}  // namespace troupe::cuda
