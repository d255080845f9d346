#include <algorithm>

#include "troupe/graph/graph.hpp"

namespace troupe {
namespace {

// Ranges are folded for the sake of shapes and axes, which are short.
constexpr int64_t folded_elements_max = 64;

/// Nothing where a value does not fit: that is the kernel's error.
std::optional<Tensor> ints(DType dtype, const Shape& shape, const std::vector<int64_t>& values) {
  if (dtype == DType::int64) return Tensor::of<int64_t>(shape, std::span<const int64_t>(values));
  auto fits = [](int64_t value) { return value == static_cast<int32_t>(value); };
  if (!std::ranges::all_of(values, fits)) return std::nullopt;
  std::vector<int32_t> narrow(values.begin(), values.end());
  return Tensor::of<int32_t>(shape, std::span<const int32_t>(narrow));
}

/// The values of a node's scalar int32 or int64 inputs, if all are known.
std::optional<std::vector<int64_t>> scalar_inputs(const Graph& graph, const Node& node) {
  std::vector<int64_t> values;
  for (auto input : node.inputs) {
    if (!graph.shape_of(input).is_scalar()) return std::nullopt;
    auto value = graph.constant_value(input);
    auto number = value ? to_ints(*value) : std::nullopt;
    if (!number) return std::nullopt;
    values.push_back(number->front());
  }
  return values;
}

std::optional<Tensor> fold_range(const Graph& graph, const Node& node) {
  auto given = scalar_inputs(graph, node);
  const auto& shape = node.output_shapes[0];
  if (!given || !shape.is_known() || shape[0] > folded_elements_max) return std::nullopt;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < shape[0]; ++i) values.push_back((*given)[0] + i * (*given)[2]);
  return ints(node.output_dtypes[0], shape, values);
}

}  // namespace

std::optional<Tensor> Graph::constant_value(Output output) const {
  const auto& source = node(output.node);
  const auto& op = source.op->name();
  if (op == "Const") return source.attr<Tensor>("value");
  if (op == "Range") return fold_range(*this, source);
  if (op == "Pack") {
    auto values = scalar_inputs(*this, source);
    if (!values) return std::nullopt;
    return ints(source.output_dtypes[0], source.output_shapes[0], *values);
  }
  if (op != "Shape" && op != "Rank" && op != "Size") return std::nullopt;
  const auto& shape = shape_of(source.inputs[0]);
  if (op == "Rank" && shape.has_rank()) return Tensor::scalar<int32_t>(shape.rank());
  if (!shape.is_known()) return std::nullopt;
  if (op == "Size") return ints(source.output_dtypes[0], Shape(), {shape.elements()});
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  return ints(source.output_dtypes[0], {shape.rank()}, sizes);
}

Shape Graph::constant_value_as_shape(Output sizes) const {
  const auto& vector = shape_of(sizes);
  if (!vector.is_known() || vector.rank() != 1 || vector[0] > Shape::max_rank)
    return Shape::unknown_rank();
  const auto& source = node(sizes.node);
  if (source.op->name() == "Shape") return shape_of(source.inputs[0]);
  auto shape = Shape::of_rank(static_cast<int>(vector[0]));
  auto read = [&](int axis, Output from, size_t index) {
    auto value = constant_value(from);
    auto numbers = value ? to_ints(*value) : std::nullopt;
    if (numbers) shape.set(axis, std::max((*numbers)[index], Shape::unknown));
  };
  for (int axis = 0; axis < shape.rank(); ++axis) {
    auto index = static_cast<size_t>(axis);
    if (source.op->name() == "Pack") read(axis, source.inputs[index], 0);
    else read(axis, sizes, index);
  }
  return shape;
}

}  // namespace troupe
