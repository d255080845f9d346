#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// Which element of the source each element of a gather is: for each of `batches`, of `between`
/// blocks of `middle` rows of `inner` elements, the `each` rows that the indices of the batch name.
struct GatheredRows {
  int64_t batches, between, each, middle, inner;

  TROUPE_BOTH int64_t elements() const { return batches * between * each * inner; }
  TROUPE_BOTH int64_t index_of(int64_t element) const {
    auto row = element / inner;
    return row / each / between * each + row % each;
  }
  /// -1 where there is no such row.
  TROUPE_BOTH int64_t source_of(int64_t element, int64_t index) const {
    if (index < 0 || index >= middle) return -1;
    auto block = element / inner / each;
    return (block * middle + index) * inner + element % inner;
  }
};

/// Slices of `size` elements of a tensor, each named by a vector of `depth` indices along its first
/// axes.
struct NamedSlices {
  static constexpr int depth_max = 8;

  int64_t count, size;
  int depth;
  int64_t sizes[depth_max];  // of those axes

  /// The number of slice `i`, or -1 where there is none.
  template <class I>
  TROUPE_BOTH int64_t position(const I* indices, int64_t i) const {
    int64_t position = 0;
    for (int d = 0; d < depth; ++d) {
      auto at = static_cast<int64_t>(indices[i * depth + d]);
      if (at < 0 || at >= sizes[d]) return -1;
      position = position * sizes[d] + at;
    }
    return position;
  }
};

}  // namespace troupe::cuda
