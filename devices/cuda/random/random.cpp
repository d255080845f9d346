#include "troupe/devices/cuda/random/random.hpp"

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

PhiloxPosition position_of(const cpu::Philox& philox) {
  return {.key = philox.seed(), .low = philox.low(), .high = philox.high()};
}

Status set_random(Launch& launch, RandomKind kind, const cpu::Philox& start, Tensor result) {
  if (result.elements() > 0)
    launch_random(
        {.out = result.mutable_raw(),
         .element = element_of(result.dtype()),
         .count = result.elements(),
         .kind = kind,
         .start = position_of(start),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, std::move(result), "a random kernel");
}

/// The bounds lie in host memory.
Status set_random_ints(
    Launch& launch, const cpu::Philox& start, const Tensor& least_input, const Tensor& end_input,
    Tensor result) {
  auto least = cpu::scalar_input(least_input, "'minval'"),
       end = cpu::scalar_input(end_input, "'maxval'");
  for (const auto* bound : {&least, &end})
    if (!*bound) return bound->status();
  if (result.elements() > 0 && *least >= *end)
    return invalid_argument(
        "'minval' must be less than 'maxval', but they are " + std::to_string(*least) + " and " +
        std::to_string(*end));
  if (result.elements() > 0)
    launch_random_ints(
        {.out = result.mutable_raw(),
         .is_long = result.dtype() == DType::int64,
         .count = result.elements(),
         .least = *least,
         .range = static_cast<uint64_t>(*end) - static_cast<uint64_t>(*least),
         .start = position_of(start),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, std::move(result), "a random kernel");
}

bool is_floating_dtype(DType dtype) { return std::ranges::count(floating(), dtype) > 0; }

KernelCatalog::Make make_random(RandomKind kind) {
  return [kind](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("dtype");
    if (!is_floating_dtype(dtype)) return no_kernel(dtype);
    return Kernel{.compute = [=, source = cpu::make_source(node)](Launch& launch) -> Status {
      auto shape = cpu::shape_input(launch.input(0));
      if (!shape) return shape.status();
      auto result = launch.allocate(dtype, *shape);
      if (!result) return result.status();
      auto start = source->reserve(result->elements());
      return set_random(launch, kind, start, *std::move(result));
    }};
  };
}

Result<Kernel> make_random_ints(const Node& node) {
  auto dtype = node.attr<DType>("Tout");
  return Kernel{.compute = [dtype, source = cpu::make_source(node)](Launch& launch) -> Status {
    auto shape = cpu::shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto result = launch.allocate(dtype, *shape);
    if (!result) return result.status();
    auto start = source->reserve(result->elements());
    return set_random_ints(launch, start, launch.input(1), launch.input(2), *std::move(result));
  }};
}

/// Of a kernel without state, whose inputs are a shape, a seed, and perhaps bounds.
Status compute_stateless(Launch& launch, DType dtype, RandomKind kind, bool has_bounds) {
  auto shape = cpu::sizes_input(launch.input(0));
  if (!shape) return shape.status();
  auto start = cpu::stateless_start(launch.input(1));
  if (!start) return start.status();
  auto result = launch.allocate(dtype, *shape);
  if (!result) return result.status();
  if (has_bounds)
    return set_random_ints(launch, *start, launch.input(2), launch.input(3), *std::move(result));
  return set_random(launch, kind, *start, *std::move(result));
}

KernelCatalog::Make make_stateless(RandomKind kind, bool has_bounds = false) {
  return [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("dtype");
    if (!has_bounds && !is_floating_dtype(dtype)) return no_kernel(dtype);
    return Kernel{.compute = [=](Launch& launch) {
      return compute_stateless(launch, dtype, kind, has_bounds);
    }};
  };
}

}  // namespace

void add_random_kernels(KernelCatalog& catalog) {
  catalog.add("RandomUniform", make_random(RandomKind::uniform));
  catalog.add("RandomStandardNormal", make_random(RandomKind::normal));
  catalog.add("TruncatedNormal", make_random(RandomKind::truncated));
  catalog.add("RandomUniformInt", make_random_ints);
  catalog.add("StatelessRandomUniform", make_stateless(RandomKind::uniform));
  catalog.add("StatelessRandomNormal", make_stateless(RandomKind::normal));
  catalog.add("StatelessTruncatedNormal", make_stateless(RandomKind::truncated));
  catalog.add("StatelessRandomUniformInt", make_stateless(RandomKind::uniform, true));
  for (const auto* op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"})
    catalog.on_host(op, {0, 1});
  catalog.on_host("StatelessRandomUniformInt", {0, 1, 2, 3});
  for (const auto* op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
        "StatelessRandomUniformInt"})
    catalog.set_repeats(op, Repeats::as_work);
}

}  // namespace troupe::cuda
