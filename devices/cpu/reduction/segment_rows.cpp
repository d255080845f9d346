#include "troupe/devices/cpu/reduction/segment_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/reduction/segment_input.hpp"

namespace troupe::cpu {
namespace {

/// Sets starts[0] to starts[count + 1]. False: the ids decrease, or are not in [0, count).
template <class I>
bool set_starts(std::span<const I> ids, int64_t count, int64_t* starts) {
  int64_t row = 0, next = 0;
  I last = -1;
  if (!ids.empty() && ids.front() < 0) return false;
  for (auto id : ids) {
    if (id != last) {
      if (id < last || id >= count) return false;
      while (next <= id) starts[next++] = row;
      last = id;
    }
    ++row;
  }
  std::fill(starts + next, starts + count + 2, row);
  return true;
}

int64_t most_of(const int64_t* ends, int64_t count) {
  int64_t most = 0;
  for (int64_t id = 0; id < count; ++id) most = std::max(most, ends[id] - ends[id - 1]);
  return most;
}

/// One more than the last id, which is the greatest one if they are sorted; 0 where it is none.
int64_t count_by_last(const Tensor& ids) {
  if (ids.elements() == 0) return 0;
  int64_t last = -1;
  for_dtype(Indices{}, ids.dtype(), [&](auto zero) { last = ids.values<decltype(zero)>().back(); });
  return last < 0 || last == std::numeric_limits<int64_t>::max() ? 0 : last + 1;
}

/// What is wrong with ids, if anything is.
Status check_ids(const Launch& launch, const Shape& data, const Tensor& ids) {
  auto wide = wide_ids(launch, ids);
  if (!wide) return wide.status();
  return count_sorted_segments(data, ids.shape(), wide->values<int64_t>()).status();
}

}  // namespace

Result<Shape> shape_of_segments(const Shape& data, int ids_rank, int64_t count) {
  std::vector<int64_t> sizes(data.sizes().begin() + ids_rank, data.sizes().end());
  sizes.insert(sizes.begin(), count);
  return Shape::make(sizes);
}

Result<SegmentRows> sorted_segment_rows(
    const Launch& launch, const Shape& data, const Tensor& ids) {
  if (data.is_scalar() || ids.shape().rank() != 1 || ids.elements() != data[0])
    return check_ids(launch, data, ids);
  SegmentRows rows{.count = count_by_last(ids)};
  auto is_right = false;
  // Where there are more segments than rows, the last id may be a mistake: no memory is allocated
  // for it before all ids have been looked at.
  if (rows.count > data[0]) {
    if (auto status = check_ids(launch, data, ids); !status.ok()) return status;
    if (auto shape = shape_of_segments(data, 1, rows.count); !shape) return shape.status();
  }
  auto starts = launch.allocate(DType::int64, {rows.count + 2});
  if (!starts) return starts.status();
  auto* start = starts->mutable_data<int64_t>();
  for_dtype(Indices{}, ids.dtype(), [&](auto zero) {
    is_right = set_starts(ids.values<decltype(zero)>(), rows.count, start);
  });
  if (!is_right) return check_ids(launch, data, ids);
  rows.most = most_of(start + 1, rows.count);
  rows.starts = *std::move(starts);
  return rows;
}

Result<SegmentRows> unsorted_segment_rows(
    const Launch& launch, std::span<const int64_t> ids, int64_t count) {
  auto starts = launch.allocate(DType::int64, {count + 2}),
       places = launch.allocate(DType::int64, {std::ssize(ids)});
  if (!starts || !places) return starts ? places.status() : starts.status();
  // Counted two places further on: setting the places moves each start to its end.
  auto* start = starts->mutable_data<int64_t>();
  std::fill_n(start, count + 2, 0);
  for (auto id : ids)
    if (id >= 0) ++start[id + 2];
  std::partial_sum(start, start + count + 2, start);
  SegmentRows rows{.count = count, .most = most_of(start + 2, count)};
  auto* place = places->mutable_data<int64_t>();
  int64_t row = 0;
  for (auto id : ids) {
    if (id >= 0) place[start[id + 1]++] = row;
    ++row;
  }
  rows.starts = *std::move(starts);
  rows.places = *std::move(places);
  return rows;
}

Result<Tensor> wide_ids(const Launch& launch, const Tensor& ids) {
  if (ids.dtype() == DType::int64) return ids;
  auto wide = launch.allocate(DType::int64, ids.shape());
  if (wide)
    std::copy_n(ids.data<int32_t>(), ids.elements(), wide->template mutable_data<int64_t>());
  return wide;
}

}  // namespace troupe::cpu
