#pragma once

#include <functional>
#include <vector>

#include "troupe/devices/cpu/linalg/batch_product.hpp"
#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/graph/ops/nn/cell_arguments.hpp"

/// What the kernels of cells of recurrent networks share.
namespace troupe::cpu {

/// A matrix without gaps, row by row.
template <class T>
struct CellMatrix {
  const T* elements;
  int64_t rows, columns;
};

/// Writes a b.
template <class T>
Status multiply_cells(const CellMatrix<T>& a, const CellMatrix<T>& b, T* out) {
  return multiply_matrices<T>(
      {.rows = a.rows,
       .inner = a.columns,
       .columns = b.columns,
       .transpose_a = false,
       .transpose_b = false,
       .a = a.elements,
       .b = b.elements,
       .out = out,
       .a_stride = a.columns,
       .b_stride = b.columns,
       .out_stride = b.columns});
}

/// Writes a b', where ' transposes: what goes back through a product with b.
template <class T>
Status multiply_back(const CellMatrix<T>& a, const CellMatrix<T>& b, T* out) {
  return multiply_matrices<T>(
      {.rows = a.rows,
       .inner = a.columns,
       .columns = b.rows,
       .transpose_a = false,
       .transpose_b = true,
       .a = a.elements,
       .b = b.elements,
       .out = out,
       .a_stride = a.columns,
       .b_stride = b.columns,
       .out_stride = b.rows});
}

/// Writes a' b: the derivatives of the second factor of a product.
template <class T>
Status multiply_for_weights(const CellMatrix<T>& a, const CellMatrix<T>& b, T* out) {
  return multiply_matrices<T>(
      {.rows = a.columns,
       .inner = a.rows,
       .columns = b.columns,
       .transpose_a = true,
       .transpose_b = false,
       .a = a.elements,
       .b = b.elements,
       .out = out,
       .a_stride = a.columns,
       .b_stride = b.columns,
       .out_stride = b.columns});
}

/// The sizes of a launch, whose inputs have the shapes that they tell.
Result<ops::CellSizes> cell_sizes(const Launch& launch, const ops::CellArguments& arguments);

/// A tensor of those sizes, of which there may be more than any tensor has.
Result<Tensor> allocate_cells(
    const Launch& launch, DType dtype, std::initializer_list<int64_t> sizes);
/// Allocates an output of those sizes and sets it.
Status set_cells(
    Launch& launch, int output, const ops::CellSizes& sizes, const ops::CellArgument& argument,
    DType dtype);

/// Computes with copies as floats of the inputs that are 16-bit floats T, and narrows the outputs.
template <class T>
Status compute_by_floats(Launch& launch, const std::function<Status(Launch&)>& compute);

/// Estimated from the products of all rows of input `x` with the inputs that are weights.
int64_t cell_cost_ns(const Launch& launch, int x, const std::vector<int>& weights);

/// A kernel for each dtype T of the node. `make` makes of the node a function of a launch of floats
/// or doubles, and of a zero of them.
template <class F>
KernelCatalog::Make cell_kernel(int x, std::vector<int> weights, F make) {
  return [=](const Node& node) -> Result<Kernel> {
    auto compute = make(node);
    return dispatch(Floating{}, node.attr<DType>("T"), [&](auto zero) {
      using T = decltype(zero);
      Kernel kernel;
      if constexpr (is_half<T>)
        kernel.compute = [compute](Launch& launch) {
          return compute_by_floats<T>(launch, [&](Launch& wide) { return compute(wide, 0.0f); });
        };
      else kernel.compute = [compute](Launch& launch) { return compute(launch, T(0)); };
      kernel.cost_ns = [=](const Launch& launch) { return cell_cost_ns(launch, x, weights); };
      return kernel;
    });
  };
}

}  // namespace troupe::cpu
