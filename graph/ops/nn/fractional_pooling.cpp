#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_fractional_pool(ShapeInference& s) {
  const auto& ratios = s.attr<std::vector<float>>("pooling_ratio");
  if (ratios.size() != 4)
    return invalid_argument("pooling_ratio must have 4 numbers, one for each dimension");
  if (auto status = s.need_rank(0, 4); !status.ok()) return status;
  auto shape = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(4);
  for (int axis = 0; axis < 4; ++axis) {
    auto ratio = ratios[static_cast<size_t>(axis)];
    if (!(ratio >= 1))
      return invalid_argument(
          "pooling_ratio cannot be smaller than 1, got: " + std::to_string(ratio));
    if (auto size = shape[axis]; size != Shape::unknown) {
      auto pooled = static_cast<int64_t>(std::floor(static_cast<float>(size) / ratio));
      shape.set(axis, std::min(pooled, size));  // it was rounded as a float
    }
  }
  s.set(0, shape);
  for (int output : {1, 2})
    s.set(output, Shape{shape[output] == Shape::unknown ? Shape::unknown : shape[output] + 1});
  return {};
}

void add_fractional_pool(OpCatalog& catalog, const std::string& name, const std::string& what) {
  auto is_max = name == "FractionalMaxPool";
  catalog.add(Op(name)
      .doc(what + " of each window of images, by channel. The windows along an axis begin at the "
           "elements that row_pooling_sequence or col_pooling_sequence says. Their sizes are the "
           "ratio of the axis, rounded down or up, in random order; with `pseudo_random` as even "
           "as can be, from a random start. With `overlapping` each has one more row and column.")
      .input("value", "T")
      .output("output", "T")
      .output("row_pooling_sequence", DType::int64)
      .output("col_pooling_sequence", DType::int64)
      .attr("pooling_ratio", AttrType::reals)
      .attr_at_least("pooling_ratio", 4)
      .attr("pseudo_random", false)
      .attr("overlapping", false)
      .attr("deterministic", false)
      .attr("seed", int64_t{0})
      .attr("seed2", int64_t{0})
      .attr("T", {DType::float32, DType::float64, DType::int32, DType::int64})
      .stateful()
      .infer_shape(infer_fractional_pool)
      .gradient([is_max, grad = name + "Grad"](Gradient& g) {
        Attrs attrs{{"overlapping", g.node().attr<bool>("overlapping")}};
        Values inputs;
        if (is_max) inputs = {g.in(0), g.out(0), g.dy(), g.out(1), g.out(2)};
        else inputs = {g.cast(g.shape_of(g.in(0)), DType::int64), g.dy(), g.out(1), g.out(2)};
        g.to_input(0, g.op(grad, inputs, attrs));
      }));
}

Op with_borders(Op op) {
  return std::move(op)
      .input("row_pooling_sequence", DType::int64)
      .input("col_pooling_sequence", DType::int64)
      .output("output", "T")
      .attr("overlapping", false)
      .attr("T", {DType::float32, DType::float64, DType::int32, DType::int64});
}

}  // namespace

void add_fractional_pooling_ops(OpCatalog& catalog) {
  add_fractional_pool(catalog, "FractionalMaxPool", "The greatest element");
  add_fractional_pool(catalog, "FractionalAvgPool", "The mean");
  auto max_grad =
      Op("FractionalMaxPoolGrad").input("orig_input", "T").input("orig_output", "T").input(
          "out_backprop", "T");
  catalog.add(with_borders(std::move(max_grad))
      .doc("The gradient of FractionalMaxPool: that of each window, added to its greatest element, "
           "the first of equal ones.")
      .infer_shape([](ShapeInference& s) -> Status {
        if (auto status = s.need_rank(0, 4); !status.ok()) return status;
        s.set(0, s.input(0).has_rank() ? s.input(0) : Shape::of_rank(4));
        return {};
      }));
  auto average_grad =
      Op("FractionalAvgPoolGrad").input("orig_input_tensor_shape", DType::int64).input(
          "out_backprop", "T");
  catalog.add(with_borders(std::move(average_grad))
      .doc("The gradient of FractionalAvgPool: that of each window, spread evenly over its "
           "elements.")
      .infer_shape([](ShapeInference& s) -> Status {
        auto shape = s.input_as_shape(0);
        if (!shape) return shape.status();
        if (shape->has_rank() && shape->rank() != 4)
          return invalid_argument(
              "'orig_input_tensor_shape' must have rank 4, but is " + shape->to_string());
        s.set(0, shape->has_rank() ? *shape : Shape::of_rank(4));
        return {};
      }));
}

}  // namespace troupe
