#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What the inputs of ops on segments of rows say, checked; in all of them input 0 has the rows.

/// How many segments sorted ids name, one for each row of data of that shape.
Result<int64_t> count_sorted_segments(
    const Shape& data, const Shape& ids_shape, std::span<const int64_t> ids);

/// Rows of the data by their numbers, and the segment of each; or for a gradient, rows of the
/// result and the segments whose gradients they get.
struct SparseSegments {
  std::vector<int64_t> indices, ids;
  int64_t count = 0;  // of rows of the result
};
/// `is_counted`: input 3 says how many segments there are.
Result<SparseSegments> read_sparse_segments(const Launch& launch, bool is_counted);
Result<SparseSegments> read_sparse_segment_gradient(const Launch& launch);

/// What a sum of rows is divided by.
enum class SegmentDivisor : uint8_t { none, count, root_of_count };
double divisor_of(SegmentDivisor divisor, int64_t rows);

/// The shape with another number of rows, and the elements of a row.
Result<Shape> with_rows(const Shape& shape, int64_t rows);
int64_t row_size_of(const Shape& shape);

}  // namespace troupe::cpu
