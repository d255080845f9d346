#include "troupe/devices/cuda/indexing/flag_counts.hpp"

#include "troupe/devices/cuda/indexing/where.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/scan.hpp"

namespace troupe::cuda {

Result<Tensor> count_before_blocks(const Launch& launch, const Tensor& flags) {
  auto blocks = flag_blocks(flags.elements());
  auto counts = launch.allocate(DType::int64, {blocks + 1}),
       before = launch.allocate(DType::int64, {blocks + 1});
  if (!counts || !before) return counts ? before : counts;
  launch_count_flags(
      out<int64_t>(*counts), static_cast<const bool*>(flags.raw()), flags.elements(),
      stream_of(launch));
  // The last count is none of a block's, and is not added.
  find_scan(ScanKind::sum, Element::int64)(
      {.out = before->mutable_raw(),
       .from = counts->raw(),
       .outer = 1,
       .size = blocks + 1,
       .inner = 1,
       .is_exclusive = true,
       .is_reverse = false,
       .stream = stream_of(launch)});
  return before;
}

Tensor total_of(const Tensor& before) {
  auto* numbers = static_cast<int64_t*>(const_cast<void*>(before.raw()));
  return Tensor::alias(
      DType::int64, {}, numbers + before.elements() - 1, [before] {}, before.allocator());
}

}  // namespace troupe::cuda
