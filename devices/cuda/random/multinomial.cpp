#include "troupe/devices/cuda/random/multinomial.hpp"

#include <functional>

#include "troupe/devices/cpu/random/multinomial_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// Where the numbers of a launch begin that may use so many blocks of them.
using FindStart = std::function<Result<cpu::Philox>(Launch&, uint64_t blocks)>;

Status compute(
    Launch& launch, LaunchMultinomial function, DType dtype, const FindStart& find_start) {
  auto shape = cpu::multinomial_shape(launch);
  if (!shape) return shape.status();
  auto result = launch.allocate(dtype, *shape);
  if (!result) return result.status();
  auto start = find_start(launch, cpu::multinomial_blocks(*shape));
  if (!start) return start.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "samples");
  const auto& logits = launch.input(0);
  auto sums = scratch(launch, static_cast<size_t>(logits.elements()) * sizeof(double));
  if (!sums) return sums.status();
  function(
      {.out = result->mutable_raw(),
       .is_long = dtype == DType::int64,
       .logits = logits.raw(),
       .sums = out<double>(*sums),
       .rows = (*shape)[0],
       .classes = logits.shape()[1],
       .samples = (*shape)[1],
       .start = {.key = start->seed(), .low = start->low(), .high = start->high()},
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "samples");
}

Result<Kernel> make(const Node& node, const FindStart& find_start) {
  auto function = find_multinomial(element_of(node.attr<DType>("T")));
  if (!function) return no_kernel(node.attr<DType>("T"));
  auto dtype = node.attr<DType>("output_dtype");
  return Kernel{
      .compute = [=](Launch& launch) { return compute(launch, function, dtype, find_start); }};
}

}  // namespace

void add_multinomial_kernels(KernelCatalog& catalog) {
  catalog.add("Multinomial", [](const Node& node) {
    return make(node, [source = cpu::make_source(node)](Launch&, uint64_t blocks) {
      return source->reserve_blocks(blocks);
    });
  });
  catalog.add("StatelessMultinomial", [](const Node& node) {
    return make(
        node, [](Launch& launch, uint64_t) { return cpu::stateless_start(launch.input(2)); });
  });
  catalog.on_host("Multinomial", {1});
  catalog.on_host("StatelessMultinomial", {1, 2});
}

}  // namespace troupe::cuda
