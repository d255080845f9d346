#include <algorithm>

#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/linalg/batch_product.hpp"
#include "troupe/devices/cpu/linalg/einsum.hpp"

namespace troupe::cpu {
namespace {

template <size_t N>
LoopNest<N> nest_of(const EinsumAxes<N>& axes) {
  LoopNest<N> nest;
  for (const auto& axis : axes) nest.add_axis(axis.size, axis.strides);
  return nest;
}

template <class T>
T sum_over(const T* in, const LoopNest<1>& summed) {
  using Sum = Promoted<decltype(wrapping(T{}))>;
  Sum sum{};
  auto size = summed.row_size(), stride = summed.row_strides()[0];
  summed.each_row(0, summed.rows(), [&](int64_t, const auto& at) {
    for (int64_t i = 0; i < size; ++i) sum += static_cast<Sum>(in[at[0] + i * stride]);
  });
  return static_cast<T>(sum);
}

template <class T>
Result<Tensor> gather_sums(
    const Launch& launch, const Tensor& in, const EinsumAxes<1>& kept_axes,
    const EinsumAxes<1>& summed_axes, const Shape& shape) {
  auto out = launch.allocate(in.dtype(), shape);
  if (!out) return out;
  auto kept = nest_of(kept_axes), summed = nest_of(summed_axes);
  const auto* from = static_cast<const T*>(in.raw());
  auto* to = static_cast<T*>(out->mutable_raw());
  if (summed.elements() == 1) {
    copy_strided(to, from, kept);
    return out;
  }
  auto size = kept.row_size(), stride = kept.row_strides()[0];
  auto work = std::max<int64_t>(1, size * summed.elements());
  parallel_ranges(kept.rows(), work, [&](int64_t begin, int64_t end) {
    kept.each_row(begin, end, [&](int64_t row, const auto& at) {
      for (int64_t i = 0; i < size; ++i)
        to[row * size + i] = sum_over(from + at[0] + i * stride, summed);
    });
  });
  return out;
}

template <class T>
Status scatter_packed(const Launch&, Tensor& out, const Tensor& in, const EinsumAxes<2>& axes) {
  auto nest = nest_of(axes);
  auto* to = static_cast<T*>(out.mutable_raw());
  const auto* from = static_cast<const T*>(in.raw());
  if (nest.elements() < out.elements()) std::fill_n(to, out.elements(), T{});
  auto size = nest.row_size();
  auto [to_stride, from_stride] = nest.row_strides();
  nest.each_row(0, nest.rows(), [&](int64_t, const auto& at) {
    for (int64_t i = 0; i < size; ++i) to[at[0] + i * to_stride] = from[at[1] + i * from_stride];
  });
  return {};
}

Status multiply_packed(
    const Launch& launch, const EinsumProduct& product, const Tensor& a, const Tensor& b,
    Tensor& out) {
  BatchProduct batch{
      .rows = product.rows,
      .inner = product.inner,
      .columns = product.columns,
      .transpose_a = product.transpose_a,
      .transpose_b = product.transpose_b};
  batch.batches.add_axis(
      product.count, {product.rows * product.inner, product.inner * product.columns});
  return multiply_batches(out.dtype())(launch, batch, a, b, out);
}

EinsumSteps steps_of(DType dtype) {
  EinsumSteps steps;
  for_dtype(Numeric{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    steps = {.gather = gather_sums<T>, .scatter = scatter_packed<T>, .multiply = multiply_packed};
  });
  return steps;
}

/// Each combination of labels is one multiplication and addition.
int64_t einsum_cost_ns(const Launch& launch, const EinsumEquation& equation) {
  auto sizes = einsum_sizes(launch, equation);
  if (!sizes) return 0;
  auto flops = 2.0 * double(sizes->ellipsis.elements());
  for (auto size : sizes->of_label)
    if (size != Shape::unknown) flops *= double(size);
  return product_cost_ns(flops) + launch.input(0).elements();
}

}  // namespace

void add_einsum_kernel(KernelCatalog& catalog) {
  catalog.add("Einsum", [](const Node& node) -> Result<Kernel> {
    auto equation = einsum_equation(node);
    if (!equation) return equation.status();
    auto steps = steps_of(node.attr<DType>("T"));
    if (!steps.multiply) return no_kernel(node.attr<DType>("T"));
    return Kernel{
        .compute = einsum(*equation, steps),
        .cost_ns = [equation = *equation](const Launch& launch) {
          return einsum_cost_ns(launch, equation);
        }};
  });
}

}  // namespace troupe::cpu
