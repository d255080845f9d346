#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/nn/pooling.hpp"

namespace troupe::cpu {
namespace {

/// MaxPoolWithArgmax: the images have their channels last.
template <class T, class Index>
Status compute_max_pool_with_argmax(Launch& launch, const PoolNode& node, bool count_images) {
  auto shape = launch.input(0).shape();
  auto pool = node.over(launch, shape);
  if (!pool) return pool.status();
  const auto& plan = pool->plan;
  auto counted = count_images ? launch.input(0).elements() : plan.in_image();
  if (counted - 1 > std::numeric_limits<Index>::max())
    return invalid_argument("the positions in " + shape.to_string() + " do not fit in 'Targmax'");
  auto out = launch.allocate(dtype_of<T>(), pool->pooled);
  if (!out) return out.status();
  auto argmax = launch.allocate(dtype_of<Index>(), pool->pooled);
  if (!argmax) return argmax.status();
  const auto* x = launch.input(0).data<T>();
  auto* y = out->template mutable_data<T>();
  auto* index = argmax->template mutable_data<Index>();
  each_greatest(plan, x, [&](const PoolWindow& window, const std::vector<int64_t>& positions) {
    auto to = window.outer * plan.out_image() + window.out * plan.inner;
    auto image = window.outer * plan.in_image();
    for (int64_t i = 0; i < plan.inner; ++i) {
      auto from = positions[static_cast<size_t>(i)] * plan.inner + i;
      y[to + i] = x[image + from];
      index[to + i] = static_cast<Index>(count_images ? image + from : from);
    }
  });
  launch.set(0, *std::move(out));
  launch.set(1, *std::move(argmax));
  return {};
}

/// The offsets in the input that a tensor of argmax names, for each of its elements.
template <class Index>
class ArgmaxOffsets {
 public:
  ArgmaxOffsets(const Tensor& argmax, const PoolPlan& plan, bool count_images)
      : index_(argmax.data<Index>()),
        elements_(plan.outer * plan.in_image()),
        in_image_(count_images ? 0 : plan.in_image()),
        out_image_(plan.out_image()) {}

  /// Calls f(output's offset, input's offset) for all; fails where an index is out of range.
  template <class F>
  Status each(int64_t count, const F& f) const {
    auto limit = in_image_ == 0 ? elements_ : in_image_;
    for (int64_t i = 0; i < count; ++i) {
      auto index = static_cast<int64_t>(index_[i]);
      if (index < 0 || index >= limit)
        return invalid_argument(
            "element " + std::to_string(i) + " of 'argmax' must be in [0, " +
            std::to_string(limit) + "), but is " + std::to_string(index));
      f(i, i / out_image_ * in_image_ + index);
    }
    return {};
  }

 private:
  const Index* index_;
  int64_t elements_, in_image_, out_image_;
};

Status check_argmax_inputs(const Launch& launch, const Shape& grad, const Shape& argmax) {
  auto status = check_pool_input(launch, 1, grad);
  return status.ok() ? check_pool_input(launch, 2, argmax) : status;
}

template <class T, class Index>
Status compute_argmax_grad(Launch& launch, const PoolNode& node, bool count_images) {
  using A = Promoted<T>;
  auto shape = launch.input(0).shape();
  auto pool = node.over(launch, shape);
  if (!pool) return pool.status();
  auto status = check_argmax_inputs(launch, pool->pooled, pool->pooled);
  if (!status.ok()) return status;
  const auto* dy = launch.input(1).data<T>();
  ArgmaxOffsets<Index> offsets(launch.input(2), pool->plan, count_images);
  return set_pool_sums<T>(launch, shape, [&](A* sum) {
    return offsets.each(pool->pooled.elements(), [&](int64_t from, int64_t to) {
      sum[to] = static_cast<A>(wrap(sum[to]) + wrap(promote(dy[from])));
    });
  });
}

template <class T, class Index>
Status compute_argmax_grad_grad(Launch& launch, const PoolNode& node, bool count_images) {
  auto shape = launch.input(0).shape();
  auto pool = node.over(launch, shape);
  if (!pool) return pool.status();
  auto status = check_argmax_inputs(launch, shape, pool->pooled);
  if (!status.ok()) return status;
  auto out = launch.allocate(dtype_of<T>(), pool->pooled);
  if (!out) return out.status();
  const auto* values = launch.input(1).data<T>();
  auto* result = out->template mutable_data<T>();
  ArgmaxOffsets<Index> offsets(launch.input(2), pool->plan, count_images);
  status =
      offsets.each(out->elements(), [&](int64_t to, int64_t from) { result[to] = values[from]; });
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

enum class ArgmaxOp : uint8_t { pool, grad, grad_grad };

template <class T, class Index>
Status compute_argmax_op(Launch& launch, ArgmaxOp op, const PoolNode& node, bool count_images) {
  if (op == ArgmaxOp::pool)
    return compute_max_pool_with_argmax<T, Index>(launch, node, count_images);
  if (op == ArgmaxOp::grad) return compute_argmax_grad<T, Index>(launch, node, count_images);
  return compute_argmax_grad_grad<T, Index>(launch, node, count_images);
}

KernelCatalog::Make argmax_kernel(ArgmaxOp op) {
  return [op](const Node& node) -> Result<Kernel> {
    auto pool = PoolNode::of(node, /*sizes_input=*/-1, /*may_span_channels=*/false);
    if (!pool) return pool.status();
    auto count_images = node.attr<bool>("include_batch_in_index");
    auto is_long = node.attr<DType>("Targmax") == DType::int64;
    return dispatch(Real{}, node.attr<DType>("T"), [&](auto zero) {
      using T = decltype(zero);
      return Kernel{
          .compute =
              [=, node = *pool](Launch& launch) {
                return is_long ? compute_argmax_op<T, int64_t>(launch, op, node, count_images)
                               : compute_argmax_op<T, int32_t>(launch, op, node, count_images);
              },
          .cost_ns = pool_cost_ns};
    });
  };
}

}  // namespace

void add_argmax_pooling_kernels(KernelCatalog& catalog) {
  catalog.add("MaxPoolWithArgmax", argmax_kernel(ArgmaxOp::pool));
  catalog.add("MaxPoolGradWithArgmax", argmax_kernel(ArgmaxOp::grad));
  catalog.add("MaxPoolGradGradWithArgmax", argmax_kernel(ArgmaxOp::grad_grad));
}

}  // namespace troupe::cpu
