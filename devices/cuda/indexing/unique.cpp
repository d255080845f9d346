#include "troupe/devices/cuda/indexing/unique.hpp"

#include "troupe/devices/cpu/indexing/unique.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/indexing/flag_counts.hpp"
#include "troupe/devices/cuda/indexing/leaders.hpp"
#include "troupe/devices/cuda/indexing/unique_slices.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/ranking.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

struct UniqueKernel {
  LaunchFindRuns find;  // null where elements are not ranked
  DType index;
  bool has_counts;
};

/// What was put on the stream for slices of one element, which the tensors of `memory` are kept
/// for.
struct UniqueParts {
  UniqueNumbersCall call;
  Tensor which, total;
  Tensors memory;
};

Result<UniqueParts> find_parts(const Launch& launch, const UniqueKernel& kernel) {
  const auto& x = launch.input(0);
  auto count = x.elements();
  auto sorted = sort_numbers(launch, x);
  if (!sorted) return sorted.status();
  auto begins = launch.allocate(DType::boolean, {count}),
       is_first = launch.allocate(DType::boolean, {count}),
       starts = launch.allocate(DType::int64, {count + 1}),
       ranks = launch.allocate(DType::int64, {count}),
       which = launch.allocate(kernel.index, {count});
  for (const auto* tensor : {&begins, &is_first, &starts, &ranks, &which})
    if (!*tensor) return tensor->status();
  UniqueCall unique{
      .x = x.raw(),
      .sorted = sorted->numbers.raw(),
      .places = static_cast<const int32_t*>(sorted->places.raw()),
      .count = count,
      .begins = out<bool>(*begins),
      .is_first = out<bool>(*is_first),
      .stream = stream_of(launch)};
  kernel.find(unique);
  auto begins_before = count_before_blocks(launch, *begins),
       first_before = count_before_blocks(launch, *is_first);
  for (const auto* tensor : {&begins_before, &first_before})
    if (!*tensor) return tensor->status();
  UniqueParts parts{
      .call =
          {.unique = unique,
           .begins_before = static_cast<const int64_t*>(begins_before->raw()),
           .first_before = static_cast<const int64_t*>(first_before->raw()),
           .run_starts = out<int64_t>(*starts),
           .first_ranks = out<int64_t>(*ranks),
           .which = which->mutable_raw(),
           .is_long = kernel.index == DType::int64},
      .which = *which,
      .total = total_of(*first_before),
      .memory = {
          x, sorted->places, *begins, *is_first, *starts, *ranks, *begins_before, *first_before}};
  launch_unique_numbers(parts.call);
  if (auto status = launched("a search for distinct elements"); !status.ok()) return status;
  return parts;
}

Status set_values(
    Launch& launch, const UniqueKernel& kernel, const UniqueParts& parts, Shape shape) {
  auto dtype = parts.memory.front().dtype();
  auto values = launch.allocate(dtype, shape);
  auto total = shape.elements();
  auto counts = launch.allocate(kernel.index, {kernel.has_counts ? total : 0});
  if (!values || !counts) return values ? counts.status() : values.status();
  launch_unique_values(
      {.numbers = parts.call,
       .values = values->mutable_raw(),
       .size = static_cast<int>(size_of(dtype)),
       .counts = kernel.has_counts ? counts->mutable_raw() : nullptr});
  launch.set(0, *std::move(values));
  launch.set(1, parts.which);
  if (kernel.has_counts) launch.set(2, *std::move(counts));
  return launched("distinct elements");
}

Status set_none(Launch& launch, const UniqueKernel& kernel) {
  launch.set(0, launch.input(0));
  auto none = launch.allocate(kernel.index, {0});
  if (!none) return none.status();
  launch.set(1, *none);
  if (kernel.has_counts) launch.set(2, *none);
  return {};
}

void start_unique(Launch& launch, const UniqueKernel& kernel, const Kernel::Done& done) {
  auto slices = cpu::unique_slices(launch);
  if (!slices) return done(slices.status());
  if (slices->count == 0) return done(set_none(launch, kernel));
  auto axis = slices->axis;
  if (!kernel.find || slices->outer * slices->inner != 1)
    return start_unique_slices(
        launch, axis, {slices->outer, slices->count, slices->inner}, kernel.index,
        kernel.has_counts, done);
  auto parts = find_parts(launch, kernel);
  if (!parts) return done(parts.status());
  auto total = parts->total;
  when_known(
      launch, total, done, [&launch, kernel, axis, parts = *std::move(parts)](const Tensor& found) {
        auto shape = launch.input(0).shape();
        shape.set(axis, found.values<int64_t>().front());
        return set_values(launch, kernel, parts, shape);
      });
}

Result<Kernel> make_unique(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!find_leaders_kernels(element_of(dtype)).hash) return no_kernel(dtype);
  auto is_ranked = find_ranking(element_of(dtype)).function != nullptr;
  UniqueKernel kernel{
      is_ranked ? find_runs(element_of(dtype)) : nullptr, node.attr<DType>("out_idx"),
      node.output_dtypes.size() > 2};
  return Kernel{
      .start = [kernel](
                   Launch& launch,
                   const Kernel::Done& done) { start_unique(launch, kernel, done); },
      .awaits = "how many elements on the card differ"};
}

}  // namespace

void add_unique_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"})
    catalog.add(op, make_unique);
}

}  // namespace troupe::cuda
