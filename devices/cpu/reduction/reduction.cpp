#include "troupe/devices/cpu/reduction/reduction.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/reduction/vector_fold.hpp"

namespace troupe::cpu {
namespace {

struct FoldAll {
  template <class A>
  static A none() {
    return true;
  }
  bool operator()(bool folded, bool next) const { return folded & next; }
};

struct FoldAny {
  template <class A>
  static A none() {
    return false;
  }
  bool operator()(bool folded, bool next) const { return folded | next; }
};

Status compute_reduction(Launch& launch, const FoldElements& elements, bool keep_dims) {
  const auto& in = launch.input(0);
  auto plan = plan_reduction(in.shape(), launch.input(1), keep_dims);
  if (!plan) return plan.status();
  if (plan->kept == in.shape()) {
    launch.set(0, launch.take_input(0).reshaped(plan->result));
    return {};
  }
  auto out = reduce(launch, elements, in, plan->kept, plan->result);
  if (!out) return out.status();
  launch.set(0, *std::move(out));
  return {};
}

/// Divides sums by the number of their summands; of none the mean is NaN, or 0 for integers.
template <class A>
void divide_by(void* sums, int64_t size, int64_t count) {
  auto* sum = static_cast<A*>(sums);
  if constexpr (is_number<A>) {
    using Wide = std::conditional_t<std::is_signed_v<A>, int64_t, uint64_t>;
    auto divisor = static_cast<Wide>(std::max<int64_t>(1, count));
    for (int64_t i = 0; i < size; ++i) sum[i] = static_cast<A>(Wide{sum[i]} / divisor);
  } else {
    for (int64_t i = 0; i < size; ++i) sum[i] /= static_cast<A>(count);
  }
}

using Divide = void (*)(void* sums, int64_t size, int64_t count);

Status compute_mean(Launch& launch, const FoldElements& elements, Divide divide, bool keep_dims) {
  const auto& in = launch.input(0);
  auto plan = plan_reduction(in.shape(), launch.input(1), keep_dims);
  if (!plan) return plan.status();
  auto count = in.elements() / std::max<int64_t>(1, plan->kept.elements());
  auto out = reduce(launch, elements, in, plan->kept, plan->result, [=](void* sums, int64_t size) {
    divide(sums, size, count);
  });
  if (!out) return out.status();
  launch.set(0, *std::move(out));
  return {};
}

Kernel kernel_of(const FoldElements& elements, bool keep_dims) {
  return {
      .compute = [=](Launch& launch) { return compute_reduction(launch, elements, keep_dims); }};
}

template <class Fold, class Allowed>
Result<Kernel> make_reduction(const Node& node, DType dtype, Allowed allowed) {
  return dispatch(allowed, dtype, [keep_dims = node.attr<bool>("keep_dims")](auto zero) {
    return kernel_of(fold_elements<Fold, decltype(zero)>(), keep_dims);
  });
}

template <class Fold, class Allowed>
KernelCatalog::Make reduction() {
  return
      [](const Node& node) { return make_reduction<Fold>(node, node.attr<DType>("T"), Allowed{}); };
}

/// As reduction(), where vectors are folded by the operation.
template <vector::Arithmetic operation, class Fold, class Allowed>
KernelCatalog::Make vector_reduction() {
  return [](const Node& node) {
    return dispatch(
        Allowed{}, node.attr<DType>("T"), [keep_dims = node.attr<bool>("keep_dims")](auto zero) {
          return kernel_of(vector_fold_elements<operation, Fold, decltype(zero)>(), keep_dims);
        });
  };
}

template <class Fold>
Result<Kernel> make_logical(const Node& node) {
  return make_reduction<Fold>(node, DType::boolean, Types<bool>{});
}

Result<Kernel> make_mean(const Node& node) {
  auto keep_dims = node.attr<bool>("keep_dims");
  return dispatch(Numeric{}, node.attr<DType>("T"), [keep_dims](auto zero) {
    using T = decltype(zero);
    auto elements = vector_fold_elements<vector::Arithmetic::add, FoldSum, T>();
    constexpr auto divide = divide_by<Promoted<T>>;
    return Kernel{.compute = [keep_dims, elements](Launch& launch) {
      return compute_mean(launch, elements, divide, keep_dims);
    }};
  });
}

}  // namespace

Result<Reduction> plan_reduction(const Shape& shape, const Tensor& indices, bool keep_dims) {
  auto axes = IntInput::of(indices);
  if (!axes) return axes.status();
  std::array<bool, Shape::max_rank> is_folded{};
  for (auto given_axis : axes->values()) {
    auto axis = find_axis(given_axis, shape.rank());
    if (!axis) return axis.status();
    is_folded[*axis] = true;
  }
  Reduction reduction{.kept = shape};
  std::array<int64_t, Shape::max_rank> sizes;
  size_t rank = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (is_folded[axis]) reduction.kept.set(axis, 1);
    if (!is_folded[axis] || keep_dims) sizes[rank++] = reduction.kept[axis];
  }
  reduction.result = Shape(std::span<const int64_t>(sizes.data(), rank));
  return reduction;
}

FoldElements summation(DType dtype) {
  FoldElements elements;
  for_dtype(Numeric{}, dtype, [&](auto zero) {
    elements = vector_fold_elements<vector::Arithmetic::add, FoldSum, decltype(zero)>();
  });
  return elements;
}

void add_reduction_kernels(KernelCatalog& catalog) {
  using vector::Arithmetic;
  catalog.add("Sum", vector_reduction<Arithmetic::add, FoldSum, Numeric>());
  catalog.add("Mean", make_mean);
  catalog.add("Prod", reduction<FoldProduct, Numeric>());
  catalog.add("Max", vector_reduction<Arithmetic::maximum, FoldMaximum, Real>());
  catalog.add("Min", vector_reduction<Arithmetic::minimum, FoldMinimum, Real>());
  catalog.add("All", make_logical<FoldAll>);
  catalog.add("Any", make_logical<FoldAny>);
  add_arg_max_kernel(catalog);
  add_norm_kernel(catalog);
}

}  // namespace troupe::cpu
