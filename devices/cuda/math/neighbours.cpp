#include "troupe/devices/cuda/math/neighbours.hpp"

#include "troupe/devices/cpu/math/bitwise.hpp"
#include "troupe/devices/cpu/math/selection.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

Status compute_cross(Launch& launch, LaunchCross function) {
  if (auto status = cpu::check_vectors(launch); !status.ok()) return status;
  const auto &x = launch.input(0), &y = launch.input(1);
  auto result = launch.allocate(x.dtype(), x.shape());
  if (!result) return result.status();
  if (result->elements() > 0)
    function(
        {.out = result->mutable_raw(),
         .x = x.raw(),
         .y = y.raw(),
         .vectors = result->elements() / 3,
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "cross products");
}

Status compute_bitpack(Launch& launch, LaunchBitpack function) {
  auto shape = cpu::bitpacked_shape(launch);
  if (!shape) return shape.status();
  auto result = launch.allocate(DType::uint8, *shape);
  if (!result) return result.status();
  if (result->elements() > 0)
    function(
        {.out = out<uint8_t>(*result),
         .from = launch.input(0).raw(),
         .threshold = launch.input(1).raw(),
         .bytes = result->elements(),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a comparison");
}

/// The maker of a kernel whose function is that of the dtype of T.
template <class Function>
KernelCatalog::Make make(Function (*find)(Element), Status (*compute)(Launch&, Function)) {
  return [=](const Node& node) -> Result<Kernel> {
    auto function = find(element_of(node.attr<DType>("T")));
    if (!function) return no_kernel(node.attr<DType>("T"));
    return Kernel{.compute = [=](Launch& launch) { return compute(launch, function); }};
  };
}

}  // namespace

void add_neighbours_kernels(KernelCatalog& catalog) {
  catalog.add("Cross", make(find_cross, compute_cross));
  catalog.add("CompareAndBitpack", make(find_bitpack, compute_bitpack));
}

}  // namespace troupe::cuda
