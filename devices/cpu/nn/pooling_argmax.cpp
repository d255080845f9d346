#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/nn/pooling.hpp"

namespace troupe::cpu {

Status check_argmax_dtype(const Shape& images, int64_t elements, DType argmax) {
  if (argmax == DType::int64 || elements - 1 <= std::numeric_limits<int32_t>::max()) return {};
  return invalid_argument("the positions in " + images.to_string() + " do not fit in 'Targmax'");
}

namespace {

/// What the ops with argmax know of their node.
struct ArgmaxNode {
  PoolNode pool;
  GreatestElements elements;
  DType index;
  bool counts_images;
};

/// MaxPoolWithArgmax: the images have their channels last.
Status compute_max_pool_with_argmax(Launch& launch, const ArgmaxNode& node) {
  auto shape = launch.input(0).shape();
  auto pool = node.pool.over(launch, shape);
  if (!pool) return pool.status();
  const auto& plan = pool->plan;
  const auto& elements = node.elements;
  auto counted = node.counts_images ? launch.input(0).elements() : plan.in_image();
  auto is_long = node.index == DType::int64;
  if (auto status = check_argmax_dtype(shape, counted, node.index); !status.ok()) return status;
  auto out = launch.allocate(elements.dtype, pool->pooled);
  if (!out) return out.status();
  auto argmax = launch.allocate(node.index, pool->pooled);
  if (!argmax) return argmax.status();
  const auto* x = bytes_of(launch.input(0));
  auto* y = mutable_bytes_of(*out);
  auto* longs = is_long ? argmax->mutable_data<int64_t>() : nullptr;
  auto* ints = is_long ? nullptr : argmax->mutable_data<int32_t>();
  auto size = static_cast<int64_t>(elements.size);
  each_greatest(plan, elements, x, [&](const PoolWindow& window, const int64_t* offsets) {
    auto to = plan.output_at(window), image = plan.image_at(window);
    elements.gather(y + to * size, x + image * size, offsets, plan.inner);
    auto before = node.counts_images ? image : 0;
    for (int64_t i = 0; i < plan.inner; ++i)
      if (is_long) longs[to + i] = before + offsets[i];
      else ints[to + i] = static_cast<int32_t>(before + offsets[i]);
  });
  launch.set(0, *std::move(out));
  launch.set(1, *std::move(argmax));
  return {};
}

/// The offsets in the input that a tensor of argmax names, for each of its elements. Fails where
/// one is out of range.
template <class Index>
Result<std::vector<int64_t>> argmax_offsets(
    std::span<const Index> argmax, const PoolPlan& plan, bool counts_images) {
  auto limit = counts_images ? plan.outer * plan.in_image() : plan.in_image();
  std::vector<int64_t> offsets(argmax.size());
  for (size_t i = 0; i < argmax.size(); ++i) {
    auto index = int64_t{argmax[i]};
    if (index < 0 || index >= limit)
      return invalid_argument(
          "element " + std::to_string(i) + " of 'argmax' must be in [0, " + std::to_string(limit) +
          "), but is " + std::to_string(index));
    auto image = counts_images ? 0 : static_cast<int64_t>(i) / plan.out_image();
    offsets[i] = image * plan.in_image() + index;
  }
  return offsets;
}

Result<std::vector<int64_t>> argmax_offsets(
    const Tensor& argmax, const PoolPlan& plan, bool counts_images) {
  return argmax.dtype() == DType::int64
             ? argmax_offsets(argmax.values<int64_t>(), plan, counts_images)
             : argmax_offsets(argmax.values<int32_t>(), plan, counts_images);
}

Status check_argmax_inputs(const Launch& launch, const Shape& grad, const Shape& argmax) {
  auto status = check_pool_input(launch, 1, grad);
  return status.ok() ? check_pool_input(launch, 2, argmax) : status;
}

Status compute_argmax_grad(Launch& launch, const ArgmaxNode& node) {
  auto shape = launch.input(0).shape();
  auto pool = node.pool.over(launch, shape);
  if (!pool) return pool.status();
  auto status = check_argmax_inputs(launch, pool->pooled, pool->pooled);
  if (!status.ok()) return status;
  auto offsets = argmax_offsets(launch.input(2), pool->plan, node.counts_images);
  if (!offsets) return offsets.status();
  return set_sums(launch, node.elements.dtype, shape, [&](void* sums) {
    auto count = static_cast<int64_t>(offsets->size());
    node.elements.add(sums, launch.input(1).raw(), offsets->data(), count);
    return Status();
  });
}

Status compute_argmax_grad_grad(Launch& launch, const ArgmaxNode& node) {
  auto shape = launch.input(0).shape();
  auto pool = node.pool.over(launch, shape);
  if (!pool) return pool.status();
  auto status = check_argmax_inputs(launch, shape, pool->pooled);
  if (!status.ok()) return status;
  auto offsets = argmax_offsets(launch.input(2), pool->plan, node.counts_images);
  if (!offsets) return offsets.status();
  auto out = launch.allocate(node.elements.dtype, pool->pooled);
  if (!out) return out.status();
  node.elements.gather(out->mutable_raw(), launch.input(1).raw(), offsets->data(), out->elements());
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make argmax_kernel(Status (*compute)(Launch&, const ArgmaxNode&)) {
  return [compute](const Node& node) -> Result<Kernel> {
    auto pool = PoolNode::of(node, /*sizes_input=*/-1, /*may_span_channels=*/false);
    if (!pool) return pool.status();
    auto dtype = node.attr<DType>("T");
    const auto* elements = find_greatest_elements(dtype);
    if (!elements) return no_kernel(dtype);
    ArgmaxNode argmax{
        *pool, *elements, node.attr<DType>("Targmax"), node.attr<bool>("include_batch_in_index")};
    return Kernel{
        .compute = [compute, argmax](Launch& launch) { return compute(launch, argmax); },
        .cost_ns = pool_cost_ns};
  };
}

}  // namespace

void add_argmax_pooling_kernels(KernelCatalog& catalog) {
  catalog.add("MaxPoolWithArgmax", argmax_kernel(compute_max_pool_with_argmax));
  catalog.add("MaxPoolGradWithArgmax", argmax_kernel(compute_argmax_grad));
  catalog.add("MaxPoolGradGradWithArgmax", argmax_kernel(compute_argmax_grad_grad));
}

}  // namespace troupe::cpu
