#include <algorithm>

#include "troupe/devices/cpu/linalg/einsum.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/linalg/product_cache.hpp"
#include "troupe/devices/cuda/reduction/reduction.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"

namespace troupe::cuda {
namespace {

template <size_t N>
StridedWalk<N> walk_of(const cpu::EinsumAxes<N>& axes) {
  StridedWalk<N> walk;
  for (const auto& axis : axes) {
    typename StridedWalk<N>::Offsets by;
    std::ranges::copy(axis.strides, by.at);
    walk.add_axis(axis.size, by);
  }
  return walk;
}

/// A copy where nothing is summed, else a reduction of what lies anywhere.
Result<Tensor> gather_sums(
    const Launch& launch, const Tensor& in, const cpu::EinsumAxes<1>& kept,
    const cpu::EinsumAxes<1>& summed, const Shape& shape) {
  auto sums = walk_of(summed);
  if (sums.elements != 1) {
    auto geometry = FoldGeometry::of_walks(walk_of(kept), sums);
    return fold_as(launch, find_fold("Sum", element_of(in.dtype())), in, geometry, shape);
  }
  auto out = launch.allocate(in.dtype(), shape);
  if (!out) return out;
  cpu::EinsumAxes<2> axes;
  int64_t stride = 1;
  for (const auto& axis : kept) {
    axes.push_back({axis.size, {stride, axis.strides[0]}});
    stride *= axis.size;
  }
  copy_walk(launch, *out, 0, in, 0, walk_of(axes));
  auto status = launched("a copy");
  if (!status.ok()) return status;
  return out;
}

Status scatter_packed(
    const Launch& launch, Tensor& out, const Tensor& in, const cpu::EinsumAxes<2>& axes) {
  auto walk = walk_of(axes);
  if (walk.elements < out.elements())
    if (auto status = set_zeros(launch, out); !status.ok()) return status;
  copy_walk(launch, out, 0, in, 0, walk);
  return launched("a copy");
}

Status multiply_packed(
    const Launch& launch, const cpu::EinsumProduct& product, const Tensor& a, const Tensor& b,
    Tensor& out) {
  if (out.elements() == 0 || product.inner == 0) return set_zeros(launch, out);
  return kept<ProductCache>(launch).multiply(
      launch,
      {.dtype = out.dtype(),
       .rows = product.rows,
       .inner = product.inner,
       .columns = product.columns,
       .transpose_a = product.transpose_a,
       .transpose_b = product.transpose_b,
       .count = product.count,
       .a_stride = product.count > 1 ? product.rows * product.inner : 0,
       .b_stride = product.count > 1 ? product.inner * product.columns : 0},
      {a.raw(), b.raw(), out.mutable_raw()});
}

Result<Kernel> make_einsum(const Node& node) {
  auto equation = cpu::einsum_equation(node);
  if (!equation) return equation.status();
  if (!has_products(node.attr<DType>("T"))) return no_kernel(node.attr<DType>("T"));
  cpu::EinsumSteps steps{
      .gather = gather_sums, .scatter = scatter_packed, .multiply = multiply_packed};
  return slow_at_first(cpu::einsum(*equation, steps));
}

}  // namespace

void add_einsum_kernels(KernelCatalog& catalog) { catalog.add("Einsum", make_einsum); }

}  // namespace troupe::cuda
