#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

void add_bitwise_ops(OpCatalog& catalog) {
  catalog.add(binary(
      "BitwiseAnd", "The bits that are set in x and y, with broadcasting.", integral(),
      not_differentiable));
  catalog.add(binary(
      "BitwiseOr", "The bits that are set in x or y, with broadcasting.", integral(),
      not_differentiable));
  catalog.add(binary(
      "BitwiseXor", "The bits in which x and y differ, with broadcasting.", integral(),
      not_differentiable));
  catalog.add(unary("Invert", "x with each bit flipped.", integral(), not_differentiable));
  catalog.add(binary(
      "LeftShift",
      "x shifted left by y bits, with broadcasting. A y outside of the bits that x has counts as "
      "the nearest that is not.",
      integral(), not_differentiable));
  catalog.add(binary(
      "RightShift",
      "x shifted right by y bits, keeping its sign, with broadcasting. A y outside of the bits "
      "that x has counts as the nearest that is not.",
      integral(), not_differentiable));
  catalog.add(Op("PopulationCount")
      .doc("How many bits of x are set, element-wise.")
      .input("x", "T")
      .output("y", DType::uint8)
      .attr("T", integral())
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
  catalog.add(Op("LogicalOr")
      .doc("True where x or y is, with broadcasting.")
      .input("x", DType::boolean)
      .input("y", DType::boolean)
      .output("z", DType::boolean)
      .infer_shape(shapes::broadcast())
      .gradient(not_differentiable));
}

}  // namespace troupe
