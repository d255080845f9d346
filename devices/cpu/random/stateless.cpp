#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

int64_t stateless_cost_ns(const Launch& launch) {
  auto shape = sizes_input(launch.input(0));
  return shape ? 8 * shape->elements() : 0;
}

/// A kernel with the inputs shape and seed, perhaps others, whose result `fill` sets.
template <class Fill>
Kernel stateless_kernel(DType dtype, const Fill& fill) {
  auto compute = [=](Launch& launch) -> Status {
    auto shape = sizes_input(launch.input(0));
    if (!shape) return shape.status();
    auto start = stateless_start(launch.input(1));
    if (!start) return start.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    auto status = fill(launch, *start, *out);
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  };
  return {.compute = compute, .cost_ns = stateless_cost_ns};
}

KernelCatalog::Make make_stateless(Distribution distribution) {
  return [distribution](const Node& node) -> Result<Kernel> {
    return stateless_kernel(
        node.attr<DType>("dtype"), [=](Launch&, const Philox& start, Tensor& out) {
          fill_random(distribution, start, out);
          return Status();
        });
  };
}

Result<Kernel> make_stateless_ints(const Node& node) {
  return stateless_kernel(
      node.attr<DType>("dtype"), [](Launch& launch, const Philox& start, Tensor& out) {
        return fill_random_ints(start, launch.input(2), launch.input(3), out);
      });
}

}  // namespace

void add_stateless_kernels(KernelCatalog& catalog) {
  catalog.add("StatelessRandomUniform", make_stateless(Distribution::uniform));
  catalog.add("StatelessRandomNormal", make_stateless(Distribution::normal));
  catalog.add("StatelessTruncatedNormal", make_stateless(Distribution::truncated));
  catalog.add("StatelessRandomUniformInt", make_stateless_ints);
  for (const auto* name :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"})
    catalog.on_host(name, {0, 1});
  catalog.on_host("StatelessRandomUniformInt", {0, 1, 2, 3});
}

}  // namespace troupe::cpu
