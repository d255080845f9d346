#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Which rows of data are in each of `count` segments, in their order: those of segment i are
/// places[starts[i]] to before places[starts[i + 1]], or, of sorted segments, which have no places,
/// starts[i] and so on.
struct SegmentRows {
  int64_t count = 0;
  Tensor starts, places;  // int64
  int64_t most = 0;       // rows in one segment

  bool is_sorted() const { return !places.is_set(); }
  int64_t kept() const { return starts.data<int64_t>()[count]; }
  int64_t place(int64_t i) const { return is_sorted() ? i : places.data<int64_t>()[i]; }
};

/// The shape [count, ...] of segments of rows, whose ids have `ids_rank` axes.
Result<Shape> shape_of_segments(const Shape& data, int ids_rank, int64_t count);

/// From int32 or int64 ids, one for each row of data of that shape, which do not decrease.
/// InvalidArgument where the segments can have no shape.
Result<SegmentRows> sorted_segment_rows(const Launch& launch, const Shape& data, const Tensor& ids);

/// From int64 ids below `count`; a row with a negative one is in no segment.
Result<SegmentRows> unsorted_segment_rows(
    const Launch& launch, std::span<const int64_t> ids, int64_t count);

/// The int32s or int64s of a tensor as int64s.
Result<Tensor> wide_ids(const Launch& launch, const Tensor& ids);

}  // namespace troupe::cpu
