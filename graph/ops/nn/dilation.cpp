#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/nn/window.hpp"

namespace troupe {

using namespace ops;

namespace {

/// The shape of the result; `filter` [height, width, channels] is that of one output by channel.
Result<Shape> dilated_shape(const ShapeInference& s) {
  auto windows = Windows::make(dilation_attrs(s));
  if (!windows) return windows.status();
  if (auto status = s.need_rank(0, 4); !status.ok()) return status;
  if (auto status = s.need_rank(1, 3); !status.ok()) return status;
  auto input = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(4);
  auto filter = s.input(1).has_rank() ? s.input(1) : Shape::of_rank(3);
  return convolved_shape(*windows, input, {filter[0], filter[1], filter[2], 1}, true);
}

/// Of a derivative: the shape of input `like`, where `out_backprop` has the result's shape.
Op::InferShape dilation_gradient_shape(int like) {
  return [like](ShapeInference& s) -> Status {
    auto result = dilated_shape(s);
    if (!result) return result.status();
    if (!result->is_compatible_with(s.input(2)))
      return invalid_argument(
          "'out_backprop' must have the shape of the result, " + result->to_string() +
          ", but has " + s.input(2).to_string());
    s.set(0, s.input(like).has_rank() ? s.input(like) : Shape::of_rank(like == 0 ? 4 : 3));
    return {};
  };
}

Op with_dilation_attrs(Op op) {
  return std::move(op)
      .attr("T", real())
      .attr("strides", AttrType::integers)
      .attr_at_least("strides", 4)
      .attr("rates", AttrType::integers)
      .attr_at_least("rates", 4)
      .attr("padding", AttrType::string);
}

}  // namespace

void add_dilation_ops(OpCatalog& catalog) {
  catalog.add(with_dilation_attrs(
      Op("Dilation2D").input("input", "T").input("filter", "T").output("output", "T"))
      .doc("The greatest sum of a [height, width, channels] filter and a window of each channel, "
           "whose elements are `rates` apart.")
      .infer_shape([](ShapeInference& s) {
        auto shape = dilated_shape(s);
        if (shape) s.set(0, *shape);
        return shape.status();
      })
      .gradient([](Gradient& g) {
        auto attrs = g.node().attrs;
        attrs.erase("T");
        Values inputs{g.in(0), g.in(1), g.dy()};
        if (g.wants(0)) g.to_input(0, g.op("Dilation2DBackpropInput", inputs, attrs));
        if (g.wants(1)) g.to_input(1, g.op("Dilation2DBackpropFilter", inputs, attrs));
      }));
  auto gradient_of = [](const char* name, const char* output) {
    return with_dilation_attrs(
        Op(name).input("input", "T").input("filter", "T").input("out_backprop", "T").output(
            output, "T"));
  };
  catalog.add(gradient_of("Dilation2DBackpropInput", "in_backprop")
      .doc("The gradient of Dilation2D with respect to its input.")
      .infer_shape(dilation_gradient_shape(0)));
  catalog.add(gradient_of("Dilation2DBackpropFilter", "filter_backprop")
      .doc("The gradient of Dilation2D with respect to its filter.")
      .infer_shape(dilation_gradient_shape(1)));
}

}  // namespace troupe
