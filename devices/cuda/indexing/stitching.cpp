#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/indexing/stitches.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/gather.hpp"
#include "troupe/devices/cuda/indexing/scatter.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cuda {
namespace {

/// On the card. The ops here have their indices on the host, as these say how large results are.
Result<Tensor> copied(const Launch& launch, std::span<const int64_t> numbers) {
  return launch.device().copy_in(Tensor::of<int64_t>({std::ssize(numbers)}, numbers));
}

Status compute_partition(Launch& launch, int64_t parts) {
  const auto& data = launch.input(0);
  auto split = cpu::read_parts(launch, parts);
  if (!split) return split.status();
  std::vector<int64_t> places;
  for (const auto& part : split->parts) places.insert(places.end(), part.begin(), part.end());
  auto indices = copied(launch, places);
  if (!indices) return indices.status();
  const auto* next = static_cast<const int64_t*>(indices->raw());
  auto size = split->slice.elements();
  for (size_t i = 0; i < split->parts.size(); ++i) {
    auto count = std::ssize(split->parts[i]);
    auto shape = cpu::shape_of_slices(count, split->slice);
    if (!shape) return shape.status();
    auto result = launch.allocate(data.dtype(), *shape);
    if (!result) return result.status();
    if (result->elements() > 0)
      launch_gather(
          {.to = result->mutable_raw(),
           .from = data.raw(),
           .indices = next,
           .has_long_indices = true,
           .rows =
               {.batches = 1,
                .between = 1,
                .each = count,
                .middle = data.elements() / size,
                .inner = size},
           .size = static_cast<int>(size_of(data.dtype())),
           .stream = stream_of(launch)});
    next += count;
    launch.set(static_cast<int>(i), *std::move(result));
  }
  return launched("a partition");
}

/// The places of all slices, one input after the other; -1 for those that a later one replaces.
std::vector<int64_t> final_places(const Launch& launch, int count, int64_t slices) {
  std::vector<bool> is_taken(static_cast<size_t>(slices));
  std::vector<int64_t> places;
  for (int i = count - 1; i >= 0; --i) {
    auto of_input = launch.input(i).values<int32_t>();
    for (auto place = of_input.rbegin(); place != of_input.rend(); ++place) {
      auto is_last = !is_taken[static_cast<size_t>(*place)];
      places.push_back(is_last ? *place : -1);
      is_taken[static_cast<size_t>(*place)] = true;
    }
  }
  std::ranges::reverse(places);
  return places;
}

Status compute_stitch(Launch& launch) {
  auto count = launch.input_count() / 2;
  auto stitches = cpu::read_stitches(launch);
  if (!stitches) return stitches.status();
  auto shape = cpu::shape_of_slices(stitches->count, stitches->slice);
  if (!shape) return shape.status();
  auto result = launch.allocate(launch.input(count).dtype(), *shape);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "a stitch");
  if (!stitches->is_full)
    if (auto status = set_zeros(launch, *result); !status.ok()) return status;
  auto places = copied(launch, final_places(launch, count, stitches->count));
  if (!places) return places.status();
  const auto* next = static_cast<const int64_t*>(places->raw());
  for (int i = 0; i < count; ++i) {
    auto slices = launch.input(i).elements();
    if (slices > 0)
      launch_scatter_update(
          {.to = result->mutable_raw(),
           .updates = launch.input(count + i).raw(),
           .indices = next,
           .has_long_indices = true,
           .slices =
               {.count = slices,
                .size = stitches->slice.elements(),
                .depth = 1,
                .sizes = {stitches->count}},
           .stream = stream_of(launch)},
          static_cast<int>(size_of(result->dtype())));
    next += slices;
  }
  return set_launched(launch, 0, *std::move(result), "a stitch");
}

}  // namespace

void add_stitching_kernels(KernelCatalog& catalog) {
  catalog.add("DynamicPartition", [](const Node& node) {
    auto compute = [parts = node.attr<int64_t>("num_partitions")](Launch& launch) {
      return compute_partition(launch, parts);
    };
    auto kernel = copying_kernel(node.attr<DType>("T"), compute);
    if (kernel) kernel->host_inputs = {1};
    return kernel;
  });
  for (const auto* op : {"DynamicStitch", "ParallelDynamicStitch"})
    catalog.add(op, [](const Node& node) {
      auto kernel = copying_kernel(node.attr<DType>("T"), compute_stitch);
      for (size_t i = 0; kernel && i < node.inputs.size() / 2; ++i)
        kernel->host_inputs.push_back(static_cast<int>(i));
      return kernel;
    });
}

}  // namespace troupe::cuda
