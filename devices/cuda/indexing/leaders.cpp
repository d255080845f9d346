#include "troupe/devices/cuda/indexing/leaders.hpp"

#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/flag_counts.hpp"
#include "troupe/devices/cuda/indexing/unique.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {

Result<Leaders> find_leaders(const Launch& launch, const Tensor& x, const SliceAxis& axis) {
  auto kernels = find_leaders_kernels(element_of(x.dtype()));
  if (!kernels.hash) return no_kernel(x.dtype());
  auto count = axis.count;
  auto hashes = launch.allocate(DType::uint64, {count}),
       begins = launch.allocate(DType::boolean, {count}),
       starts = launch.allocate(DType::int64, {count}),
       differs = launch.allocate(DType::boolean, {count}),
       leaders = launch.allocate(DType::int32, {count}),
       is_first = launch.allocate(DType::boolean, {count});
  for (const auto* tensor : {&hashes, &begins, &starts, &differs, &leaders, &is_first})
    if (!*tensor) return tensor->status();
  LeadersCall call{
      .x = x.raw(), .axis = axis, .hashes = out<uint64_t>(*hashes), .stream = stream_of(launch)};
  kernels.hash(call);
  auto sorted = sort_numbers(launch, *hashes);
  if (!sorted) return sorted.status();
  call.places = static_cast<const int32_t*>(sorted->places.raw());
  call.is_first = out<bool>(*is_first);
  find_runs(Element::uint64)(
      {.x = hashes->raw(),
       .sorted = sorted->numbers.raw(),
       .places = call.places,
       .count = count,
       .begins = out<bool>(*begins),
       .is_first = call.is_first,
       .stream = call.stream});
  auto before = count_before_blocks(launch, *begins);
  if (!before) return before.status();
  if (auto status = set_zeros(launch, *differs); !status.ok()) return status;
  call.begins = out<bool>(*begins);
  call.begins_before = out<int64_t>(*before);
  call.run_starts = out<int64_t>(*starts);
  call.differs = out<bool>(*differs);
  call.leaders = out<int32_t>(*leaders);
  kernels.lead(call);
  if (auto status = launched("a search for equal slices"); !status.ok()) return status;
  return Leaders{*std::move(leaders), *std::move(is_first)};
}

}  // namespace troupe::cuda
