#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

Status infer_bitpack(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  auto shape = s.input(0);
  if (!shape.has_rank()) return {};
  auto size = shape.is_scalar() ? 1 : shape[shape.rank() - 1];
  if (size >= 0 && size % 8 != 0)
    return invalid_argument(
        "the last axis must have a multiple of 8 elements, but the shape is " + shape.to_string());
  if (size >= 0) shape.set(shape.rank() - 1, size / 8);
  s.set(0, shape);
  return {};
}

}  // namespace

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
  catalog.add(Op("CompareAndBitpack")
      .doc("A bit for each element that is greater than `threshold`: a byte for 8 neighbours along "
           "the last axis, of which the first is the highest bit.")
      .input("input", "T")
      .input("threshold", "T")
      .output("output", DType::uint8)
      .attr(
          "T", {DType::boolean, DType::float16, DType::float32, DType::float64, DType::int8,
                DType::int16, DType::int32, DType::int64})
      .infer_shape(infer_bitpack));
  catalog.add(Op("LogicalOr")
      .doc("True where x or y is, with broadcasting.")
      .input("x", DType::boolean)
      .input("y", DType::boolean)
      .output("z", DType::boolean)
      .infer_shape(shapes::broadcast())
      .gradient(not_differentiable));
}

}  // namespace troupe
