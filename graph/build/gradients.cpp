#include "troupe/graph/build/gradients.hpp"

#include <algorithm>

#include "troupe/graph/build/backward.hpp"

namespace troupe {

Value to_tensor(const Builder& builder, const IndexedSlices& rows) {
  auto here = builder.on(builder.graph().node(rows.values.output().node).device);
  auto column = here.op("ExpandDims", {rows.indices, here.constant(1)});
  auto shape = here.cast(rows.dense_shape, rows.indices.dtype());
  return here.op("ScatterNd", {column, rows.values, shape});
}

Value Gradient::dy(int index) {
  auto& gradient = output_gradients_[static_cast<size_t>(index)];
  if (gradient.rows) gradient = {.tensor = to_tensor(*this, *gradient.rows)};
  if (!gradient.is_valid()) gradient = {.tensor = zeros_like(out(index))};
  return gradient.tensor;
}

void Gradient::pass_on(int input, int output) {
  const auto& rows = output_gradients_[static_cast<size_t>(output)].rows;
  if (rows) to_input(input, *rows);
  else to_input(input, dy(output));
}

std::optional<std::vector<int64_t>> Gradient::constant_ints(int input) const {
  auto value = graph().constant_value(in(input).output());
  return value ? to_ints(*value) : std::nullopt;
}

namespace {

/// The axes over which to sum a gradient of shape `result` down to `target`, which was broadcast
/// with `others`; nothing if the static shapes do not determine them.
std::optional<std::vector<int32_t>> axes_to_sum(
    const Shape& target, const Shape& result, const Shapes& others) {
  if (!target.has_rank() || !result.has_rank()) return std::nullopt;
  auto missing = result.rank() - target.rank();
  std::vector<int32_t> axes;
  for (int axis = 0; axis < result.rank(); ++axis) {
    auto stretches = [&](const Shape& other) {
      auto there = axis - (result.rank() - other.rank());
      return !other.has_rank() || (there >= 0 && other[there] != 1);
    };
    auto from = axis < missing ? 1 : target[axis - missing];
    if (axis < missing || (from == 1 && result[axis] != 1)) axes.push_back(axis);
    else if (from == Shape::unknown && result[axis] != 1 && std::ranges::any_of(others, stretches))
      return std::nullopt;
  }
  return axes;
}

}  // namespace

Value Gradient::sum_to_shape_of(int input, const Value& gradient) {
  const auto& target = in(input);
  Shapes others;
  for (const auto& other : inputs_) {
    if (other.output() == target.output()) continue;
    // An input that is no operand, as BroadcastTo's shape, may ask for any stretching.
    auto is_operand = other.dtype() == gradient.dtype();
    others.push_back(is_operand ? other.shape() : Shape::unknown_rank());
  }
  auto result = gradient.shape().merge(out(0).shape());
  if (!result) {
    fail(result.status().at({.node = node_.name, .op = node_.op->name()}));
    return {};
  }
  auto known = axes_to_sum(target.shape(), *result, others);
  if (!known) {
    auto target_shape = shape_of(target);
    auto axes = op("BroadcastGradientArgs", {target_shape, shape_of(gradient)});
    return reshape(op("Sum", {gradient, axes}), target_shape);
  }
  if (known->empty()) return gradient;
  // Reshaped also where it has the shape, which a step does not do: programs that follow gradients
  // through the graph know the pair of nodes that TensorFlow makes.
  return reshape(reduce_sum(gradient, *known), sizes_of(input));
}

Value Gradient::reshape_to_shape_of(int input, const Value& gradient) {
  const auto& target = in(input).shape();
  if (target.is_known() && target == gradient.shape()) return gradient;
  return reshape(gradient, sizes_of(input));
}

Value Gradient::sizes_of(int input) {
  const auto& shape = in(input).shape();
  // One size may be left to Reshape, unless another is 0 and makes it ambiguous.
  if (shape.has_rank() && std::ranges::count(shape.sizes(), Shape::unknown) <= 1 &&
      !std::ranges::count(shape.sizes(), 0))
    return ints({shape.sizes().begin(), shape.sizes().end()});
  return shape_of(in(input));
}

Result<std::vector<GradientValue>> sparse_gradients(
    const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options) {
  for (const auto* group : {&ys, &xs, &options.grad_ys, &options.stop_gradients})
    for (const auto& value : *group) {
      if (!value.is_valid())
        return builder.status().ok() ? invalid_argument("gradients() was given no value")
                                     : builder.status();
      if (&value.builder().graph() != &builder.graph())
        return invalid_argument(
            "gradients() was given '" + value.name() + "', which is of another graph");
    }
  if (ys.empty()) return invalid_argument("gradients() was given no ys");
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size())
    return invalid_argument("gradients() takes as many grad_ys as ys");
  auto scope =
      options.scope.ends_with('/') ? builder.within(options.scope) : builder.scope(options.scope);
  return Backward(scope, ys, xs, options).run();
}

Result<Values> gradients(
    const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options) {
  auto made = sparse_gradients(builder, ys, xs, options);
  if (!made) return made.status();
  Values tensors;
  for (const auto& gradient : *made)
    tensors.push_back(gradient.rows ? to_tensor(builder, *gradient.rows) : gradient.tensor);
  return tensors;
}

}  // namespace troupe
