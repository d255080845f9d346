#include "troupe/devices/cuda/random/bounded_normals.hpp"

#include <cstring>

#include "troupe/devices/cpu/random/normal_batches.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

Status status_of(const Tensor& on_host) {
  BoundedFault fault;
  std::memcpy(&fault, on_host.raw(), sizeof(fault));
  cpu::WideNormalParameters parameters{fault.mean, fault.deviation, fault.least, fault.greatest};
  if (fault.is_invalid != 0) return cpu::normal_parameters_are_invalid(parameters);
  if (fault.is_refused != 0) return cpu::no_normal_number_is_between(parameters);
  return {};
}

struct BoundedNormalsKernel {
  DType dtype;
  LaunchBoundedNormals function;
  std::shared_ptr<cpu::PhiloxSource> source;

  void start(Launch& launch, const Kernel::Done& done) const {
    auto batches = cpu::NormalBatches::of(launch);
    if (!batches) return done(batches.status());
    auto result = launch.allocate(dtype, batches->shape);
    auto fault = launch.allocate(DType::float64, {sizeof(BoundedFault) / sizeof(double)});
    if (!result || !fault) return done(result ? fault.status() : result.status());
    auto from = source->reserve_blocks(batches->blocks());
    if (auto status = set_zeros(launch, *fault); !status.ok()) return done(status);
    BoundedNormalsCall call{
        .out = result->mutable_raw(),
        .elements = result->elements(),
        .batches = batches->count,
        .size = batches->size,
        .fault = static_cast<BoundedFault*>(fault->mutable_raw()),
        .start = {.key = from.seed(), .low = from.low(), .high = from.high()},
        .stream = stream_of(launch)};
    int input = 1;
    for (auto* parameter : {&call.mean, &call.deviation, &call.least, &call.greatest}) {
      const auto& given = launch.input(input++);
      *parameter = {given.raw(), given.elements() == 1};
    }
    if (call.elements > 0) function(call);
    if (auto status = launched("bounded normal numbers"); !status.ok()) return done(status);
    when_known(launch, *fault, done, [&launch, result = *result](const Tensor& found) {
      auto status = status_of(found);
      if (status.ok()) launch.set(0, result);
      return status;
    });
  }
};

Result<Kernel> make_bounded_normals(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  BoundedNormalsKernel kernel{
      dtype, find_bounded_normals(element_of(dtype)), cpu::make_source(node)};
  if (!kernel.function) return no_kernel(dtype);
  return Kernel{
      .start = [kernel](Launch& launch, const Kernel::Done& done) { kernel.start(launch, done); },
      .awaits = "whether the card has normal numbers between the bounds"};
}

}  // namespace

void add_bounded_normals_kernels(KernelCatalog& catalog) {
  catalog.add("ParameterizedTruncatedNormal", make_bounded_normals);
  catalog.on_host("ParameterizedTruncatedNormal", {0});
}

}  // namespace troupe::cuda
