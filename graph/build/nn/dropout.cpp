#include "troupe/graph/build/nn/dropout.hpp"

#include <algorithm>

#include "troupe/graph/build/initializers.hpp"

namespace troupe::nn {

namespace {

/// The shape of the noise as an input of a node.
Result<Value> noise_sizes(
    const Builder& b, const Value& x, const std::optional<std::vector<int64_t>>& noise_shape) {
  if (!noise_shape) return b.shape_of(x);
  auto is_unknown = [](int64_t size) { return size == Shape::unknown; };
  std::vector<int32_t> sizes(noise_shape->begin(), noise_shape->end());
  if (std::ranges::none_of(*noise_shape, is_unknown)) return b.ints(sizes);
  if (static_cast<int>(sizes.size()) != x.shape().rank())
    return invalid_argument(
        "noise_shape has " + std::to_string(sizes.size()) +
        " sizes, which is not the rank of x of shape " + x.shape().to_string());
  auto own = b.op("Shape", {x});
  auto given = b.ints(sizes);
  return b.op("Select", {b.op("Less", {given, b.zeros_like(given)}), own, given});
}

}  // namespace

Value dropout(const Builder& builder, const Value& x, const DropoutOptions& options) {
  auto fail = [&](Status status) {
    builder.fail(std::move(status));
    return Value();
  };
  auto tensor = Operand(x).tensor(builder);
  if (!tensor.is_valid()) return {};
  if (!std::ranges::count(floating(), tensor.dtype()))
    return fail(invalid_argument(
        std::string("x has to be a floating point tensor since it's going to be scaled, not ") +
        to_string(tensor.dtype())));
  auto known = options.rate.number();
  if (known && !(*known >= 0 && *known < 1))
    return fail(invalid_argument("rate must be in the range [0, 1): " + std::to_string(*known)));
  if (known && *known == 0) return tensor;
  auto b = builder.scope("dropout");
  tensor = Operand(x).tensor(b);
  auto dropped = options.rate.tensor(b, tensor.dtype());
  auto sizes = noise_sizes(b, tensor, options.noise_shape);
  if (!sizes) return fail(sizes.status());
  auto attrs = seeds_of(options.seed);
  attrs["dtype"] = tensor.dtype();
  auto drawn = b.op("RandomUniform", {*sizes}, attrs);
  auto kept = b.cast(b.op("GreaterEqual", {drawn, dropped}), tensor.dtype());
  return tensor * (1.0 / (1.0 - dropped)) * kept;
}

}  // namespace troupe::nn
