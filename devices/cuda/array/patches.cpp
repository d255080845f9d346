#include "troupe/devices/cuda/array/patches.hpp"

#include "troupe/devices/cpu/array/patches.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

PatchAxis axis_of(const cpu::PatchAxis& axis) {
  return {
      .patch = Divider(axis.patch),
      .count = Divider(axis.count),
      .stride = axis.stride,
      .rate = axis.rate,
      .size = axis.size,
      .before = axis.before};
}

Status compute_patches(Launch& launch, cpu::PatchAxes axes) {
  const auto& images = launch.input(0);
  auto shape = axes.fit(images.shape());
  if (!shape) return shape.status();
  auto result = launch.allocate(images.dtype(), *shape);
  if (!result) return result.status();
  if (result->elements() > 0)
    launch_patches(
        {.to = result->mutable_raw(),
         .from = images.raw(),
         .size = static_cast<int>(size_of(images.dtype())),
         .z = axis_of(axes.z),
         .y = axis_of(axes.y),
         .x = axis_of(axes.x),
         .depth = Divider(images.shape()[images.shape().rank() - 1]),
         .elements = result->elements(),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "patches");
}

}  // namespace

void add_patches_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"ExtractImagePatches", "ExtractVolumePatches"})
    catalog.add(op, [](const Node& node) {
      return copying_kernel(node.attr<DType>("T"), [axes = cpu::PatchAxes(node)](Launch& launch) {
        return compute_patches(launch, axes);
      });
    });
}

}  // namespace troupe::cuda
