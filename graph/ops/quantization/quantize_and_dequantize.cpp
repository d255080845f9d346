#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_scaled(ShapeInference& s) {
  for (int i = 1; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  s.set(0, s.input(0));
  return {};
}

/// As if nothing were rounded or limited.
void pass_to_input(Gradient& g) { g.pass_on(0); }

}  // namespace

void add_quantize_and_dequantize_ops(OpCatalog& catalog) {
  catalog.add(Op("QuantizeAndDequantize")
      .doc("As QuantizeAndDequantizeV2, whose range is attributes here.")
      .input("input", "T")
      .output("output", "T")
      .attr("signed_input", true)
      .attr("num_bits", 8)
      .attr("range_given", false)
      .attr("input_min", 0.0f)
      .attr("input_max", 0.0f)
      .attr("T", floating())
      .infer_shape(infer_scaled)
      .gradient(pass_to_input));
  catalog.add(Op("QuantizeAndDequantizeV2")
      .doc("The input as it is after it was multiplied by a scale, rounded to an integer of "
           "`num_bits` bits, and divided again. The scale is the greatest with which the range "
           "from `input_min` to `input_max` fits; without `range_given` it is the range of the "
           "input. With `narrow_range` there are as many negative integers as positive ones.")
      .input("input", "T")
      .input("input_min", "T")
      .input("input_max", "T")
      .output("output", "T")
      .attr("signed_input", true)
      .attr("num_bits", 8)
      .attr("range_given", false)
      .attr("T", floating())
      .attr("round_mode", "HALF_TO_EVEN", {"HALF_TO_EVEN", "HALF_UP"})
      .attr("narrow_range", false)
      .infer_shape(infer_scaled)
      .gradient(pass_to_input));
  catalog.add(Op("QuantizeAndDequantizeV3")
      .doc("As QuantizeAndDequantizeV2, with a number of bits that a step computes.")
      .input("input", "T")
      .input("input_min", "T")
      .input("input_max", "T")
      .input("num_bits", DType::int32)
      .output("output", "T")
      .attr("signed_input", true)
      .attr("range_given", true)
      .attr("T", floating())
      .attr("narrow_range", false)
      .infer_shape(infer_scaled)
      .gradient(pass_to_input));
}

}  // namespace troupe
