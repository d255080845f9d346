#include "troupe/graph/build/optimizers/clip.hpp"

#include <algorithm>

namespace troupe {

namespace {

const Value& values_of(const GradientValue& gradient) {
  return gradient.rows ? gradient.rows->values : gradient.tensor;
}

/// The clipped tensor, unless clipping has broadcast it to a larger shape.
Value of_same_shape(const Builder& b, const Value& t, const Value& clipped) {
  if (!clipped.is_valid() || t.shape().is_compatible_with(clipped.shape())) return clipped;
  b.fail(invalid_argument(
      "Shapes " + t.shape().to_string() + " and " + clipped.shape().to_string() +
      " are incompatible"));
  return {};
}

}  // namespace

Value clip_by_value(
    const Builder& builder, const Value& t, const Operand& clip_value_min,
    const Operand& clip_value_max) {
  auto b = builder.scope("clip_by_value");
  auto tensor = Operand(t).tensor(b);
  if (!tensor.is_valid()) return {};
  auto dtype = tensor.dtype();
  auto below = b.op("Minimum", {tensor, clip_value_max.tensor(b, dtype)});
  auto clipped = b.op("Maximum", {below, clip_value_min.tensor(b, dtype)});
  return of_same_shape(b, tensor, clipped);
}

Value clip_by_norm(
    const Builder& builder, const Value& t, const Operand& clip_norm,
    const std::optional<std::vector<int32_t>>& axes) {
  auto b = builder.scope("clip_by_norm");
  auto tensor = Operand(t).tensor(b);
  if (!tensor.is_valid()) return {};
  auto limit = clip_norm.tensor(b, tensor.dtype());
  auto each = b.square(tensor);
  auto squares = axes ? b.reduce_sum(each, *axes, /*keep_dims=*/true) : b.reduce_sum(each);
  // The gradient of a square root is infinite at 0.
  auto is_positive = b.op("Greater", {squares, b.zeros_like(squares)});
  auto safe = b.op("Select", {is_positive, squares, b.ones_like(squares)});
  auto norm = b.op("Select", {is_positive, b.sqrt(safe), squares});
  auto scaled = b.mul(tensor, limit);
  return of_same_shape(b, tensor, b.div(scaled, b.op("Maximum", {norm, limit})));
}

Value clip_by_average_norm(const Builder& builder, const Value& t, const Operand& clip_norm) {
  auto b = builder.scope("clip_by_average_norm");
  auto tensor = Operand(t).tensor(b);
  if (!tensor.is_valid()) return {};
  auto count = b.cast(b.op("Size", {tensor}), tensor.dtype());
  auto inverse = b.mul(count, b.op("Rsqrt", {b.reduce_sum(b.square(tensor))}));
  auto limit = clip_norm.tensor(b, tensor.dtype());
  return b.mul(tensor, b.mul(limit, b.op("Minimum", {inverse, 1.0 / limit})));
}

Value global_norm(const Builder& builder, const std::vector<GradientValue>& t_list) {
  auto b = builder.scope("global_norm");
  Values halves;
  for (const auto& t : t_list)
    if (t.is_valid()) halves.push_back(b.op("L2Loss", {values_of(t)}));
  if (halves.empty()) {
    b.fail(invalid_argument("a global norm needs a tensor"));
    return {};
  }
  return b.sqrt(b.reduce_sum(b.op("Pack", halves)) * 2.0);
}

ClippedByGlobalNorm clip_by_global_norm(
    const Builder& builder, const std::vector<GradientValue>& t_list, const Operand& clip_norm,
    const Value& use_norm) {
  auto norm = use_norm.is_valid() ? use_norm : global_norm(builder, t_list);
  auto b = builder.scope("clip_by_global_norm");
  ClippedByGlobalNorm clipped{.gradients = t_list, .norm = norm};
  auto own = Operand(norm).tensor(b);
  if (!own.is_valid()) return clipped;
  auto limit = clip_norm.tensor(b, own.dtype());
  auto scale = b.mul(limit, b.op("Minimum", {1.0 / own, 1.0 / limit}));
  scale = b.add(scale, b.sub(own, own));
  for (auto& gradient : clipped.gradients) {
    if (!gradient.is_valid()) continue;
    auto& values = gradient.rows ? gradient.rows->values : gradient.tensor;
    values = b.mul(values, Operand(scale).tensor(b, values.dtype()));
  }
  return clipped;
}

GradientsAndVariables clip_by_global_norm(
    const Builder& builder, GradientsAndVariables grads_and_vars, const Operand& clip_norm) {
  std::vector<GradientValue> gradients;
  for (const auto& pair : grads_and_vars) gradients.push_back(pair.gradient);
  auto clipped = clip_by_global_norm(builder, gradients, clip_norm);
  for (size_t i = 0; i < grads_and_vars.size(); ++i)
    grads_and_vars[i].gradient = clipped.gradients[i];
  return grads_and_vars;
}

}  // namespace troupe
