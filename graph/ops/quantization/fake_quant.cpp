#include <string>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Op with_form(Op op) { return std::move(op).attr("num_bits", 8).attr("narrow_range", false); }

/// Attributes that the gradient has as well.
Attrs form_of(const Gradient& g) {
  return {
      {"num_bits", g.node().attr<int64_t>("num_bits")},
      {"narrow_range", g.node().attr<bool>("narrow_range")}};
}

Status infer_passed(ShapeInference& s) {
  auto shape = s.input(0).merge(s.input(1));
  if (shape) s.set(0, *shape);
  return shape.status();
}

void add_fixed_ranges(OpCatalog& catalog) {
  auto with_range = [](Op op) {
    return with_form(std::move(op).attr("min", -6.0f).attr("max", 6.0f));
  };
  catalog.add(with_range(Op("FakeQuantWithMinMaxArgs")
                             .input("inputs", DType::float32)
                             .output("outputs", DType::float32))
      .doc("The inputs as they are after they were stored as integers of `num_bits` bits which "
           "divide the range from `min` to `max` evenly: limited to the range, and rounded. The "
           "range is shifted so that 0 is exact. With `narrow_range` the integer 0 is not used.")
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) {
        auto attrs = form_of(g);
        for (const auto* name : {"min", "max"}) attrs[name] = g.node().attr<float>(name);
        g.to_input(0, g.op("FakeQuantWithMinMaxArgsGradient", {g.dy(), g.in(0)}, attrs));
      }));
  catalog.add(with_range(Op("FakeQuantWithMinMaxArgsGradient")
                             .input("gradients", DType::float32)
                             .input("inputs", DType::float32)
                             .output("backprops", DType::float32))
      .doc("The gradient of FakeQuantWithMinMaxArgs: that of its result where the input is in the "
           "shifted range, else 0.")
      .infer_shape(infer_passed));
}

/// The shape of inputs `min` and `max`, from that input on: of one range, or by channel of one for
/// each element along the last dimension of `input`.
Result<Shape> merged_limits(
    const ShapeInference& s, int first, const Shape& input, bool by_channel) {
  if (by_channel && input.is_scalar())
    return invalid_argument("the inputs must have at least rank 1, but are a scalar");
  Shape limits;
  if (by_channel) limits = {input.has_rank() ? input[input.rank() - 1] : Shape::unknown};
  for (int i : {first, first + 1}) {
    auto merged = limits.merge(s.input(i));
    if (!merged) return merged.status();
    limits = *merged;
  }
  return limits;
}

Op::InferShape infer_quantized(bool by_channel) {
  return [=](ShapeInference& s) {
    s.set(0, s.input(0));
    return merged_limits(s, 1, s.input(0), by_channel).status();
  };
}

Op::InferShape infer_gradients(bool by_channel) {
  return [=](ShapeInference& s) -> Status {
    auto input = s.input(0).merge(s.input(1));
    if (!input) return input.status();
    s.set(0, *input);
    auto limits = merged_limits(s, 2, *input, by_channel);
    if (!limits) return limits.status();
    s.set(1, *limits);
    s.set(2, *limits);
    return {};
  };
}

void add_given_ranges(OpCatalog& catalog, const char* op, bool by_channel, const char* doc) {
  auto gradient = std::string(op) + "Gradient";
  catalog.add(with_form(Op(op)
                            .input("inputs", DType::float32)
                            .input("min", DType::float32)
                            .input("max", DType::float32)
                            .output("outputs", DType::float32))
      .doc(doc)
      .infer_shape(infer_quantized(by_channel))
      .gradient([gradient](Gradient& g) {
        auto value = g.op(gradient, {g.dy(), g.in(0), g.in(1), g.in(2)}, form_of(g));
        for (int i = 0; i < 3; ++i) g.to_input(i, value.output(i));
      }));
  catalog.add(with_form(Op(gradient)
                            .input("gradients", DType::float32)
                            .input("inputs", DType::float32)
                            .input("min", DType::float32)
                            .input("max", DType::float32)
                            .output("backprops_wrt_input", DType::float32)
                            .output("backprop_wrt_min", DType::float32)
                            .output("backprop_wrt_max", DType::float32))
      .doc("The gradients of " + std::string(op) +
           ": those of its result go to the inputs in the shifted range, the sum of the others to "
           "the limit that the input is outside of.")
      .infer_shape(infer_gradients(by_channel)));
}

}  // namespace

void add_fake_quant_ops(OpCatalog& catalog) {
  add_fixed_ranges(catalog);
  add_given_ranges(
      catalog, "FakeQuantWithMinMaxVars", /*by_channel=*/false,
      "As FakeQuantWithMinMaxArgs, with a range that a step computes; where both limits are 0, so "
      "is the result.");
  add_given_ranges(
      catalog, "FakeQuantWithMinMaxVarsPerChannel", /*by_channel=*/true,
      "As FakeQuantWithMinMaxVars, with a range for each element along the last dimension.");
}

}  // namespace troupe
