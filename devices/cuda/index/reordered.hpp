#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// A tensor that is continued before and behind each axis by its mirror image, and which element of
/// it each one of the continuation is.
struct MirroredAxes {
  static constexpr int rank_max = 8;

  int rank = 0;
  int64_t repeat = 0;  // 1 where the elements at the ends are repeated
  int64_t inner[rank_max], before[rank_max], padded[rank_max];

  TROUPE_BOTH int64_t inner_elements() const { return product(inner); }
  TROUPE_BOTH int64_t padded_elements() const { return product(padded); }

  /// The element of the tensor that an element of the continuation is.
  TROUPE_BOTH int64_t source_of(int64_t element) const {
    int64_t source = 0, stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      auto at = element % padded[axis] - before[axis];
      element /= padded[axis];
      if (at < 0) at = -at - repeat;
      else if (at >= inner[axis]) at = 2 * inner[axis] - 2 + repeat - at;
      source += at * stride;
      stride *= inner[axis];
    }
    return source;
  }

  /// Calls f(element of the continuation) for each that an element of the tensor is: along an axis
  /// it may be itself, its image before, and that behind.
  template <class F>
  TROUPE_BOTH void each_image(int64_t element, const F& f) const {
    int images = 1;
    for (int axis = 0; axis < rank; ++axis) images *= 3;
    for (int image = 0; image < images; ++image) {
      auto place = image_of(element, image);
      if (place >= 0) f(place);
    }
  }

 private:
  TROUPE_BOTH int64_t product(const int64_t (&sizes)[rank_max]) const {
    int64_t elements = 1;
    for (int axis = 0; axis < rank; ++axis) elements *= sizes[axis];
    return elements;
  }

  /// `image`: one digit of base 3 for each axis. -1: there is none.
  TROUPE_BOTH int64_t image_of(int64_t element, int image) const {
    int64_t place = 0, stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      auto at = element % inner[axis];
      element /= inner[axis];
      if (image % 3 == 1) {
        at = -at - repeat;
        if (at >= 0 || at < -before[axis]) return -1;
      } else if (image % 3 == 2) {
        at = 2 * inner[axis] - 2 + repeat - at;
        if (at < inner[axis] || at >= padded[axis] - before[axis]) return -1;
      }
      place += (at + before[axis]) * stride;
      stride *= padded[axis];
      image /= 3;
    }
    return place;
  }
};

/// Sequences along one axis of a tensor, one for each place of another axis, of which so many
/// elements from the first on are in the opposite order.
struct ReversedSequences {
  int64_t size, stride;              // of the axis of the sequences
  int64_t batch_size, batch_stride;  // of the axis that has a length for each place

  TROUPE_BOTH int64_t sequence_of(int64_t element) const {
    return element / batch_stride % batch_size;
  }
  TROUPE_BOTH int64_t source_of(int64_t element, int64_t length) const {
    auto at = element / stride % size;
    return at < length ? element + (length - 1 - 2 * at) * stride : element;
  }
};

}  // namespace troupe::cuda
