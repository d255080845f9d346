#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/random/shuffled_rows.hpp"

namespace troupe::cpu {
namespace {

int64_t random_cost_ns(const Launch& launch) {
  auto shape = shape_input(launch.input(0));
  return shape ? 8 * shape->elements() : 0;
}

KernelCatalog::Make make_random(Distribution distribution) {
  return [distribution](const Node& node) -> Result<Kernel> {
    auto compute = [distribution, dtype = node.attr<DType>("dtype"),
                    source = make_source(node)](Launch& launch) -> Status {
      auto shape = shape_input(launch.input(0));
      if (!shape) return shape.status();
      auto out = launch.allocate(dtype, *shape);
      if (!out) return out.status();
      fill_random(distribution, source->reserve(out->elements()), *out);
      launch.set(0, *std::move(out));
      return {};
    };
    return Kernel{.compute = compute, .cost_ns = random_cost_ns};
  };
}

Result<Kernel> make_random_ints(const Node& node) {
  auto compute = [dtype = node.attr<DType>("Tout"),
                  source = make_source(node)](Launch& launch) -> Status {
    auto shape = shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    auto start = source->reserve(out->elements());
    auto status = fill_random_ints(start, launch.input(1), launch.input(2), *out);
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  };
  return Kernel{.compute = compute, .cost_ns = random_cost_ns};
}

template <class C>
Status compute_shuffle(Launch& launch, PhiloxSource& source) {
  const auto& value = launch.input(0);
  const auto& shape = value.shape();
  if (value.elements() <= 1 || shape.rank() == 0 || shape[0] <= 1) {
    launch.set(0, value);
    return {};
  }
  auto out = launch.allocate(value.dtype(), shape);
  if (!out) return out.status();
  auto rows = shuffled_rows(source.reserve_blocks(shuffle_blocks(shape[0])), shape[0]);
  auto row_size = value.elements() / shape[0];
  auto* to = mutable_cells<C>(*out);
  for (auto row : rows) to = std::copy_n(cells<C>(value) + row * row_size, row_size, to);
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_shuffle(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [&](auto cell) -> Result<Kernel> {
    return Kernel{.compute = [source = make_source(node)](Launch& launch) {
      return compute_shuffle<decltype(cell)>(launch, *source);
    }};
  });
}

}  // namespace

void add_random_kernels(KernelCatalog& catalog) {
  catalog.add("RandomUniform", make_random(Distribution::uniform));
  catalog.add("RandomStandardNormal", make_random(Distribution::normal));
  catalog.add("TruncatedNormal", make_random(Distribution::truncated));
  catalog.add("RandomUniformInt", make_random_ints);
  catalog.add("RandomShuffle", make_shuffle);
  add_gamma_and_poisson_kernels(catalog);
  add_parameterized_normal_kernels(catalog);
  add_multinomial_kernels(catalog);
  add_stateless_kernels(catalog);
  add_samplers_kernels(catalog);
}

}  // namespace troupe::cpu
