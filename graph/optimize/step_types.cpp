#include "troupe/graph/optimize/step_types.hpp"

#include <algorithm>

namespace troupe {

StepTypes::StepTypes(const Graph& graph, const PrunedStep& step)
    : graph_(graph), positions_(static_cast<size_t>(graph.size()), -1), feeds_(step.feeds) {
  std::ranges::sort(feeds_);
  nodes_.reserve(step.nodes.size());
  for (auto id : step.nodes) add(graph.node(id));
  connect();
}

void StepTypes::add(const Node& node) {
  auto position = static_cast<int>(nodes_.size());
  positions_[static_cast<size_t>(node.id)] = position;
  TypedNode typed{.node = &node, .op = node.op, .attrs = node.attrs};
  const auto& name = node.op->name();
  if (name == "FusedBatchNorm" || name == "FusedBatchNormGrad") {
    if (auto second = graph_.catalog().find(name + "V2")) {
      typed.op = *second;
      typed.attrs["U"] = DType::float32;
    }
  }
  nodes_.push_back(std::move(typed));
  nodes_.back().of_inputs = slots_of(position, nodes_.back().op->inputs());
  nodes_.back().of_outputs = slots_of(position, nodes_.back().op->outputs());
}

int StepTypes::find_slot(int position, const std::string& attr, int index, DType dtype) {
  auto& node = nodes_[static_cast<size_t>(position)];
  for (auto number : node.slots) {
    const auto& known = slots_[static_cast<size_t>(number)];
    if (known.attr == attr && known.index == index && known.dtype == dtype) return number;
  }
  node.slots.push_back(static_cast<int>(slots_.size()));
  slots_.push_back({.node = position, .attr = attr, .index = index, .dtype = dtype});
  return node.slots.back();
}

/// Of each tensor that the arguments stand for.
std::vector<int> StepTypes::slots_of(int position, const std::vector<Argument>& arguments) {
  std::vector<int> found;
  auto attr = [&](const std::string& name) -> const AttrValue& {
    return nodes_[static_cast<size_t>(position)].attrs.find(name)->second;
  };
  for (const auto& argument : arguments) {
    if (!argument.dtypes_attr.empty()) {
      const auto dtypes = *attr(argument.dtypes_attr).get<DTypes>();
      for (size_t i = 0; i < dtypes.size(); ++i)
        found.push_back(find_slot(position, argument.dtypes_attr, static_cast<int>(i), dtypes[i]));
      continue;
    }
    auto dtype =
        argument.dtype_attr.empty() ? argument.dtype : *attr(argument.dtype_attr).get<DType>();
    auto count = argument.count_attr.empty() ? 1 : *attr(argument.count_attr).get<int64_t>();
    auto slot = find_slot(position, argument.dtype_attr, -1, dtype);
    found.insert(found.end(), static_cast<size_t>(count), slot);
  }
  return found;
}

void StepTypes::connect() {
  for (const auto& node : nodes_)
    for (size_t i = 0; i < node.node->inputs.size(); ++i) {
      auto from = slot_of(node.node->inputs[i]), to = node.of_inputs[i];
      if (from < 0) continue;
      slots_[static_cast<size_t>(from)].after.push_back(to);
      slots_[static_cast<size_t>(to)].before.push_back(from);
    }
}

bool StepTypes::is_fed(Output output) const { return std::ranges::binary_search(feeds_, output); }

int StepTypes::slot_of(Output output) const {
  auto position = is_fed(output) ? -1 : positions_[static_cast<size_t>(output.node)];
  if (position < 0) return -1;
  return nodes_[static_cast<size_t>(position)].of_outputs[static_cast<size_t>(output.index)];
}

}  // namespace troupe
