#pragma once

#include <cstdint>
#include <vector>

#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// Rows of a tensor, which is seen as `count` rows of `size` elements each.
struct Rows {
  std::vector<int64_t> chosen;
  int64_t count = 1;
  int64_t size = 1;
};

/// The rows along the first axis of `shape` that the indices name. InvalidArgument says which index
/// is none of them.
Result<Rows> choose_rows(const Tensor& indices, const Shape& shape);

/// How many of the first axes of `shape` the vectors along the last axis of `indices` name
/// positions on: as many as a vector has elements.
Result<int> depth_of(const Tensor& indices, const Shape& shape);

/// The parts of a tensor of that shape that those vectors name.
Result<Rows> choose_parts(const Tensor& indices, const Shape& shape);

/// Calls change(i) for each i of rows.chosen: those of one row in their order, one after the other,
/// and where there is much to do those of different rows at once.
template <class F>
void change_rows(const Rows& rows, const F& change) {
  constexpr int64_t split_elements = 256 * 1024, least_size = 8, parts = 16;
  auto count = static_cast<int64_t>(rows.chosen.size());
  if (rows.size < least_size || count <= split_elements / rows.size) {
    for (int64_t i = 0; i < count; ++i) change(i);
    return;
  }
  split_ranges(rows.count, rows.count / parts + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < count; ++i)
      if (auto row = rows.chosen[static_cast<size_t>(i)]; row >= begin && row < end) change(i);
  });
}

}  // namespace troupe::cpu
