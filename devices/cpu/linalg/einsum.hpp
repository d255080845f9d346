#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/ops/linalg/einsum.hpp"

namespace troupe::cpu {

/// Axes from the innermost outward, each with the strides of N operands, in elements.
template <size_t N>
struct EinsumAxis {
  int64_t size;
  std::array<int64_t, N> strides;
};
template <size_t N>
using EinsumAxes = std::vector<EinsumAxis<N>>;

/// So many products of matrices, [rows, inner] by [inner, columns], each operand stored so or,
/// transposed, the other way round; one behind the other.
struct EinsumProduct {
  int64_t count, rows, inner, columns;
  bool transpose_a, transpose_b;
};

/// What a device does for an Einsum: all functions are for one dtype.
struct EinsumSteps {
  /// A tensor of that shape with an element for each of `kept`: the sum over `summed` from there.
  Result<Tensor> (*gather)(
      const Launch& launch, const Tensor& in, const EinsumAxes<1>& kept,
      const EinsumAxes<1>& summed, const Shape& shape) = nullptr;
  /// Copies elements from the second offsets to the first ones, and sets all others to 0.
  Status (*scatter)(
      const Launch& launch, Tensor& out, const Tensor& in, const EinsumAxes<2>& axes) = nullptr;
  Status (*multiply)(
      const Launch& launch, const EinsumProduct& product, const Tensor& a, const Tensor& b,
      Tensor& out) = nullptr;
};

/// What an Einsum computes, by the steps of a device: operands are brought into the form of
/// matrices, where they are not in it, and multiplied.
KernelCatalog::Compute einsum(const EinsumEquation& equation, const EinsumSteps& steps);

/// The equation of a node, parsed.
Result<EinsumEquation> einsum_equation(const Node& node);
/// What the shapes of a launch's inputs say of it.
Result<EinsumSizes> einsum_sizes(const Launch& launch, const EinsumEquation& equation);

void add_einsum_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
