#include "troupe/devices/cuda/random/samples.hpp"

#include <cstring>

#include "troupe/devices/cpu/random/rate_errors.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/random/shuffled_rows.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/gather.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

SamplesCall samples_call(
    const Launch& launch, Tensor& result, const Tensor& parameters, const cpu::Philox& start) {
  return {
      .out = result.mutable_raw(),
      .of = parameters.raw(),
      .samples = result.elements() / parameters.elements(),
      .parameters = parameters.elements(),
      .start = {.key = start.seed(), .low = start.low(), .high = start.high()},
      .stream = stream_of(launch)};
}

Result<Tensor> allocate_samples(const Launch& launch, DType dtype) {
  auto shape = cpu::samples_shape(launch.input(0), launch.input(1).shape());
  if (!shape) return shape.status();
  return launch.allocate(dtype, *shape);
}

Result<Kernel> make_gamma(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_gamma_samples(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{.compute = [=, source = cpu::make_source(node)](Launch& launch) -> Status {
    auto result = allocate_samples(launch, dtype);
    if (!result) return result.status();
    auto start = source->reserve(result->elements());
    if (result->elements() > 0) function(samples_call(launch, *result, launch.input(1), start));
    return set_launched(launch, 0, *std::move(result), "gamma samples");
  }};
}

/// The rates as doubles.
Result<Tensor> wide_rates(const Launch& launch) {
  const auto& rates = launch.input(1);
  auto wide = launch.allocate(DType::float64, rates.shape());
  if (wide && rates.elements() > 0)
    launch_cast(
        wide->mutable_raw(), Element::float64, rates.raw(), element_of(rates.dtype()),
        rates.elements(), stream_of(launch));
  return wide;
}

Status fault_of(const Tensor& on_host, DType dtype) {
  RateFaults faults;
  std::memcpy(&faults, on_host.raw(), sizeof(faults));
  if (faults.is_nan != 0) return cpu::rate_is_not_a_number();
  if (faults.too_great != 0) return cpu::rate_is_too_great(faults.too_great, dtype);
  return {};
}

struct PoissonKernel {
  DType dtype;
  LaunchPoissonSamples function;
  std::shared_ptr<cpu::PhiloxSource> source;

  void start(Launch& launch, const Kernel::Done& done) const {
    auto result = allocate_samples(launch, dtype);
    if (!result) return done(result.status());
    auto rates = wide_rates(launch);
    auto faults = launch.allocate(DType::float64, {2});
    if (!rates || !faults) return done(rates ? faults.status() : rates.status());
    if (auto status = set_zeros(launch, *faults); !status.ok()) return done(status);
    auto from = source->reserve(result->elements());
    if (result->elements() > 0)
      function(
          samples_call(launch, *result, *rates, from),
          static_cast<RateFaults*>(faults->mutable_raw()));
    if (auto status = launched("Poisson samples"); !status.ok()) return done(status);
    when_known(
        launch, *faults, done, [&launch, result = *result, out = dtype](const Tensor& found) {
          auto status = fault_of(found, out);
          if (status.ok()) launch.set(0, result);
          return status;
        });
  }
};

Result<Kernel> make_poisson(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  PoissonKernel kernel{dtype, find_poisson_samples(element_of(dtype)), cpu::make_source(node)};
  if (!kernel.function) return no_kernel(dtype);
  return Kernel{
      .start = [kernel](Launch& launch, const Kernel::Done& done) { kernel.start(launch, done); },
      .awaits = "whether the card has samples for all rates"};
}

/// The order is computed on the host, where its numbers come one after the other.
Status compute_shuffle(Launch& launch, cpu::PhiloxSource& source) {
  const auto value = launch.input(0);
  const auto& shape = value.shape();
  if (value.elements() <= 1 || shape.rank() == 0 || shape[0] <= 1) {
    launch.set(0, value);
    return {};
  }
  auto result = launch.allocate(value.dtype(), shape);
  if (!result) return result.status();
  auto rows = cpu::shuffled_rows(source.reserve_blocks(cpu::shuffle_blocks(shape[0])), shape[0]);
  auto order =
      launch.device().copy_in(Tensor::of<int64_t>({shape[0]}, std::span<const int64_t>(rows)));
  if (!order) return order.status();
  auto row_bytes = static_cast<int64_t>(value.bytes()) / shape[0];
  auto size = cell_of_rows(row_bytes, *result, value);
  launch_gather(
      {.to = result->mutable_raw(),
       .from = value.raw(),
       .indices = order->raw(),
       .has_long_indices = true,
       .rows =
           {.batches = 1,
            .between = 1,
            .each = shape[0],
            .middle = shape[0],
            .inner = row_bytes / size},
       .size = size,
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a shuffle");
}

Result<Kernel> make_shuffle(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!is_plain(dtype)) return no_kernel(dtype);
  return Kernel{.compute = [source = cpu::make_source(node)](Launch& launch) {
    return compute_shuffle(launch, *source);
  }};
}

}  // namespace

void add_samples_kernels(KernelCatalog& catalog) {
  catalog.add("RandomGamma", make_gamma);
  catalog.add("RandomPoisson", make_poisson);
  catalog.add("RandomPoissonV2", make_poisson);
  catalog.add("RandomShuffle", make_shuffle);
  for (const auto* op : {"RandomGamma", "RandomPoisson", "RandomPoissonV2"})
    catalog.on_host(op, {0});
}

}  // namespace troupe::cuda
