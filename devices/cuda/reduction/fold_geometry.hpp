#pragma once

#include "troupe/devices/cuda/index/strided_walk.hpp"

namespace troupe::cuda {

/// Which elements of a tensor are folded onto which of a result: `kept` leads over the result, and
/// `folded`, from where it leads, over the elements that become one.
struct FoldGeometry {
  StridedWalk<1> kept;
  StridedWalk<1> folded;
  /// The folds are made in so many parts, each by threads of its own, which are then folded: so
  /// that few long folds keep a card busy too. The number depends on the shape alone, and so does
  /// rounding.
  int64_t parts = 1;

  TROUPE_BOTH int64_t outs() const { return kept.elements; }
  TROUPE_BOTH int64_t folds() const { return folded.elements; }
  /// The elements of a part: those of the fold in [part_begin(i), part_begin(i + 1)).
  TROUPE_BOTH int64_t part_begin(int64_t part) const { return folds() * part / parts; }
  TROUPE_BOTH int64_t first_of(int64_t out) const { return kept.offsets(out).at[0]; }
  /// Where element i of a fold lies; by one stride where the fold is even.
  TROUPE_BOTH bool is_even() const { return folded.rank <= 1; }
  TROUPE_BOTH int64_t even_stride() const { return folded.strides[0].at[0]; }
  TROUPE_BOTH int64_t fold_offset(int64_t i) const { return folded.offsets(i).at[0]; }
  /// Neighbours are folded: threads share a fold. Else each has its own.
  bool folds_neighbours() const {
    return folds() >= 32 && folded.rank > 0 && folded.strides[0].at[0] == 1;
  }

  /// Of axes as [size, is folded], in row-major order.
  template <class Sizes, class Flags>
  static FoldGeometry of(int rank, const Sizes& sizes, const Flags& is_folded) {
    FoldGeometry geometry;
    int64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      auto& walk = is_folded[axis] ? geometry.folded : geometry.kept;
      walk.add_axis(sizes[axis], {{stride}});
      stride *= sizes[axis];
    }
    geometry.choose_parts();
    return geometry;
  }

  /// Of elements that lie anywhere.
  static FoldGeometry of_walks(const StridedWalk<1>& kept, const StridedWalk<1>& folded) {
    FoldGeometry geometry{.kept = kept, .folded = folded};
    geometry.choose_parts();
    return geometry;
  }

  /// The geometry of the parts' results, [parts, outs], folded once more.
  FoldGeometry of_parts() const {
    const int64_t sizes[] = {parts, outs()};
    const bool is_folded[] = {true, false};
    auto geometry = of(2, sizes, is_folded);
    geometry.parts = 1;
    return geometry;
  }

 private:
  void choose_parts() {
    // As many threads as several of the largest cards have, each with some elements at least.
    constexpr int64_t wanted = 1 << 19, least_each = 16, parts_max = 1024;
    auto threads_each = folds_neighbours() ? (folds() > 1024 ? 256 : 32) : 8;
    auto busy = outs() * threads_each;
    auto most = folds() / (threads_each * least_each);
    auto needed = busy > 0 ? wanted / busy : 1;
    parts = needed < most ? needed : most;
    if (parts > parts_max) parts = parts_max;
    if (parts < 1) parts = 1;
  }
};

}  // namespace troupe::cuda
