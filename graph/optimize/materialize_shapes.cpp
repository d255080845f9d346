#include <algorithm>
#include <limits>

#include "troupe/graph/optimize/passes.hpp"

namespace troupe {
namespace {

std::optional<Tensor> sizes_tensor(
    DType dtype, const Shape& shape, const std::vector<int64_t>& values) {
  if (dtype == DType::int64) return Tensor::of<int64_t>(shape, std::span<const int64_t>(values));
  auto fits = [](int64_t value) { return value <= std::numeric_limits<int32_t>::max(); };
  if (dtype != DType::int32 || !std::ranges::all_of(values, fits)) return std::nullopt;
  std::vector<int32_t> narrow(values.begin(), values.end());
  return Tensor::of<int32_t>(shape, std::span<const int32_t>(narrow));
}

std::optional<Tensor> known_sizes(const std::string& op, DType dtype, const Shape& shape) {
  if (op == "Rank") {
    if (!shape.has_rank()) return std::nullopt;
    return Tensor::scalar<int32_t>(shape.rank());
  }
  if (!shape.is_known()) return std::nullopt;
  if (op == "Size") return sizes_tensor(dtype, Shape(), {shape.elements()});
  return sizes_tensor(dtype, {shape.rank()}, {shape.sizes().begin(), shape.sizes().end()});
}

bool asks_for_shape(const std::string& op) {
  return op == "Shape" || op == "ShapeN" || op == "Size" || op == "Rank";
}

/// What a constant waits for in place of the value: it is dead, or in a loop, where the value is.
/// Nothing where no control edge says that.
std::optional<std::vector<NodeId>> waits_for_inputs(const StepGraph& step, const StepNode& node) {
  auto controls = node.control_inputs;
  for (auto input : node.inputs) {
    const auto* source = step.source_of(input);
    if (!source) continue;  // fed
    if (is_control_flow(*source)) return std::nullopt;
    if (source->is_constant())
      controls.insert(controls.end(), source->control_inputs.begin(), source->control_inputs.end());
    else controls.push_back(input.node);
  }
  std::ranges::sort(controls);
  controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  return controls;
}

}  // namespace

void materialize_shapes(StepGraph& step) {
  step.for_each_node([&](StepNode& node) {
    const auto& op = node.node->op->name();
    if (!asks_for_shape(op) || !step.is_pure(node) || !node.values.empty()) return;
    Tensors values;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      auto value = known_sizes(op, node.node->output_dtypes[i], step.shape_of(node.inputs[i]));
      if (!value) return;
      values.push_back(*std::move(value));
    }
    if (values.empty()) return;
    auto controls = waits_for_inputs(step, node);
    if (controls) step.set_values(node, std::move(values), *std::move(controls));
  });
}

}  // namespace troupe
