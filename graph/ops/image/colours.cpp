#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_colours(ShapeInference& s) {
  auto shape = s.input(0);
  if (!shape.has_rank()) return {};
  auto last = shape.rank() - 1;
  if (last < 0 || (shape[last] != 3 && shape[last] != Shape::unknown))
    return invalid_argument("images must have 3 channels, but their shape is " + shape.to_string());
  shape.set(last, 3);
  s.set(0, shape);
  return {};
}

/// Of adjustments of images of at least rank 3 by a scalar.
Op::InferShape infer_adjusted(bool has_three_channels) {
  return [=](ShapeInference& s) -> Status {
    const auto& shape = s.input(0);
    if (shape.has_rank() && shape.rank() < 3)
      return invalid_argument(
          "images must have at least rank 3, but their shape is " + shape.to_string());
    if (auto status = s.need_rank(1, 0); !status.ok()) return status;
    if (has_three_channels) return infer_colours(s);
    s.set(0, shape);
    return {};
  };
}

/// Hue, saturation and value depend on the greatest and the least of the three components and on
/// the difference of the two that follow the greatest one in the circle of colours.
void hsv_gradient(Gradient& g) {
  if (!g.wants(0)) return;
  const auto& rgb = g.in(0);
  auto axis = g.constant<int32_t>(-1), three = g.constant<int32_t>(3);
  auto place = [&](const Value& x) {
    return g.op("ArgMax", {x, axis}, {{"output_type", DType::int32}});
  };
  auto one_hot = [&](const Value& index) {
    return g.op("OneHot", {index, three, g.like(rgb, 1), g.like(rgb, 0)});
  };
  auto greatest = place(rgb);
  auto after = [&](int32_t steps) {
    return one_hot(g.op("FloorMod", {greatest + g.constant(steps), three}));
  };
  auto high = one_hot(greatest), low = one_hot(place(g.neg(rgb)));
  auto next = after(1) - after(2);
  auto component = [&](const Value& mask) { return g.reduce_sum(rgb * mask, {-1}, true); };
  auto divide = [&](const Value& x, const Value& y) { return g.op("DivNoNan", {x, y}); };
  auto most = component(high), range = most - component(low), difference = component(next);
  auto hue = divide(next, range) - divide((high - low) * difference, range * range);
  auto saturation = divide(high * component(low), most * most) - divide(low, most);
  auto dy = [&](int32_t channel) {
    return g.reduce_sum(g.dy() * one_hot(g.constant(channel)), {-1}, true);
  };
  g.to_input(0, dy(0) * hue / 6 + dy(1) * saturation + dy(2) * high);
}

}  // namespace

void add_colours_ops(OpCatalog& catalog) {
  auto convert = [](const char* name) {
    return Op(name)
        .input("images", "T")
        .output("output", "T")
        .attr("T", floating(), DType::float32)
        .infer_shape(infer_colours);
  };
  catalog.add(convert("RGBToHSV")
      .doc("Colours of red, green and blue as hue, saturation and value, all in [0, 1].")
      .gradient(hsv_gradient));
  catalog.add(convert("HSVToRGB")
      .doc("Colours of hue, saturation and value, all in [0, 1], as red, green and blue.")
      .gradient(not_differentiable));
  auto adjust = [](const char* name, const char* by, bool has_three_channels) {
    return Op(name)
        .input("images", "T")
        .input(by, DType::float32)
        .output("output", "T")
        .attr("T", {DType::float16, DType::float32}, DType::float32)
        .infer_shape(infer_adjusted(has_three_channels));
  };
  catalog.add(adjust("AdjustContrastv2", "contrast_factor", false)
      .doc("Images [..., height, width, channels] whose distance from their channel's mean is "
           "`contrast_factor` times as much."));
  catalog.add(adjust("AdjustHue", "delta", true)
      .doc("Images of red, green and blue with `delta` (of a whole turn) added to their hue."));
  catalog.add(adjust("AdjustSaturation", "scale", true)
      .doc("Images of red, green and blue with `scale` times their saturation, at most 1."));
}

}  // namespace troupe
