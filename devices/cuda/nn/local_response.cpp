#include "troupe/devices/cuda/nn/local_response.hpp"

#include <algorithm>

#include "troupe/devices/cpu/nn/normalization.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// The gradient's inputs are dy, x and y.
Status compute(
    Launch& launch, LaunchLocalResponse function, LocalResponseCall call, bool is_gradient) {
  if (auto status = cpu::check_lrn_images(launch); !status.ok()) return status;
  const auto& x = launch.input(is_gradient ? 1 : 0);
  auto result = launch.allocate(x.dtype(), x.shape());
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "a response");
  call.out = result->mutable_raw();
  call.x = x.raw();
  call.elements = x.elements();
  call.channels = x.shape()[3];
  call.radius = std::min(call.radius, call.channels);
  call.stream = stream_of(launch);
  Tensor norms;
  if (is_gradient) {
    auto memory = scratch(launch, static_cast<size_t>(x.elements()) * sizeof(double));
    if (!memory) return memory.status();
    norms = *std::move(memory);
    call.norms = norms.mutable_raw();
    call.dy = launch.input(0).raw();
    call.y = launch.input(2).raw();
  }
  function(call);
  return set_launched(launch, 0, *std::move(result), "a response");
}

KernelCatalog::Make make(bool is_gradient) {
  return [is_gradient](const Node& node) -> Result<Kernel> {
    auto function = find_local_response(element_of(node.attr<DType>("T")));
    if (!function) return no_kernel(node.attr<DType>("T"));
    LocalResponseCall call{
        .radius = node.attr<int64_t>("depth_radius"),
        .bias = node.attr<float>("bias"),
        .alpha = node.attr<float>("alpha"),
        .beta = node.attr<float>("beta")};
    return Kernel{
        .compute = [=](Launch& launch) { return compute(launch, function, call, is_gradient); }};
  };
}

}  // namespace

void add_local_response_kernels(KernelCatalog& catalog) {
  catalog.add("LRN", make(/*is_gradient=*/false));
  catalog.add("LRNGrad", make(/*is_gradient=*/true));
}

}  // namespace troupe::cuda
