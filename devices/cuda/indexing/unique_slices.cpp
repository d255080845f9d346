#include "troupe/devices/cuda/indexing/unique_slices.hpp"

#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/flag_counts.hpp"
#include "troupe/devices/cuda/indexing/gather.hpp"
#include "troupe/devices/cuda/indexing/leaders.hpp"

namespace troupe::cuda {
namespace {

struct DistinctParts {
  Tensor which, firsts, counts, total;
};

Result<DistinctParts> find_distinct(
    const Launch& launch, const SliceAxis& slices, DType index, bool has_counts) {
  auto leaders = find_leaders(launch, launch.input(0), slices);
  if (!leaders) return leaders.status();
  auto count = slices.count;
  auto before = count_before_blocks(launch, leaders->is_first),
       ranks = launch.allocate(DType::int64, {count}),
       firsts = launch.allocate(DType::int64, {count}), which = launch.allocate(index, {count}),
       counts = launch.allocate(index, {has_counts ? count : 0});
  for (const auto* tensor : {&before, &ranks, &firsts, &which, &counts})
    if (!*tensor) return tensor->status();
  if (auto status = set_zeros(launch, *counts); !status.ok()) return status;
  launch_distinct(
      {.leaders = static_cast<const int32_t*>(leaders->of.raw()),
       .is_first = static_cast<const bool*>(leaders->is_first.raw()),
       .first_before = static_cast<const int64_t*>(before->raw()),
       .count = count,
       .ranks = out<int64_t>(*ranks),
       .firsts = out<int64_t>(*firsts),
       .which = which->mutable_raw(),
       .counts = has_counts ? counts->mutable_raw() : nullptr,
       .is_long = index == DType::int64,
       .stream = stream_of(launch)});
  if (auto status = launched("a search for distinct slices"); !status.ok()) return status;
  return DistinctParts{*which, *firsts, *counts, total_of(*before)};
}

/// The distinct slices, from the numbers of the first ones.
Result<Tensor> gather_slices(
    const Launch& launch, const Tensor& firsts, int axis, const SliceAxis& slices, int64_t total) {
  const auto& x = launch.input(0);
  auto shape = x.shape();
  shape.set(axis, total);
  auto values = launch.allocate(x.dtype(), shape);
  if (!values || values->elements() == 0) return values;
  auto row_bytes = slices.inner * static_cast<int64_t>(size_of(x.dtype()));
  auto size = cell_of_rows(row_bytes, *values, x);
  launch_gather(
      {.to = values->mutable_raw(),
       .from = x.raw(),
       .indices = firsts.raw(),
       .has_long_indices = true,
       .rows =
           {.batches = 1,
            .between = slices.outer,
            .each = total,
            .middle = slices.count,
            .inner = row_bytes / size},
       .size = size,
       .stream = stream_of(launch)});
  return values;
}

}  // namespace

void start_unique_slices(
    Launch& launch, int axis, const SliceAxis& slices, DType index, bool has_counts,
    const Kernel::Done& done) {
  auto parts = find_distinct(launch, slices, index, has_counts);
  if (!parts) return done(parts.status());
  auto set_outputs = [&launch, axis, slices, has_counts,
                      parts = *parts](const Tensor& found) -> Status {
    auto total = found.values<int64_t>().front();
    auto values = gather_slices(launch, parts.firsts, axis, slices, total);
    if (!values) return values.status();
    launch.set(0, *std::move(values));
    launch.set(1, parts.which);
    if (!has_counts) return launched("distinct slices");
    auto counts = launch.allocate(parts.counts.dtype(), {total});
    if (!counts) return counts.status();
    auto status = to_status(
        cudaMemcpyAsync(
            counts->mutable_raw(), parts.counts.raw(), counts->bytes(), cudaMemcpyDeviceToDevice,
            stream_of(launch)),
        "a copy");
    launch.set(2, *std::move(counts));
    return status;
  };
  when_known(launch, parts->total, done, set_outputs);
}

}  // namespace troupe::cuda
