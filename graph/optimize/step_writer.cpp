#include "troupe/graph/optimize/step_writer.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// The node of one output of a constant with several.
std::string value_name(const std::string& node, int index) {
  return index == 0 ? node : "_value/" + std::to_string(index) + "/" + node;
}

/// The placeholder of a feed whose node the step does not run.
std::string absent_feed_name(const std::string& node, int index) {
  return index == 0 ? node : "_feed/" + std::to_string(index) + "/" + node;
}

}  // namespace

StepWriter::StepWriter(
    const Graph& graph, const PrunedStep& step, const std::vector<StepNode>& nodes,
    const std::vector<int32_t>& positions)
    : graph_(graph),
      step_(step),
      nodes_(nodes),
      positions_(positions),
      written_(std::make_shared<Graph>(graph.shared_catalog(), graph.shared_library())) {}

Result<PlacedStep> StepWriter::write(const std::vector<Output>& fetches) {
  if (auto status = add_absent_feeds(); !status.ok()) return status;
  auto is_needed = needed_nodes(fetches);
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (is_needed[i])
      if (auto status = add(nodes_[i]); !status.ok()) return status;
  if (auto status = written_->check_loops(); !status.ok()) return status;
  for (auto feed : step_.feeds) {
    auto output = output_of(feed);
    if (!output) return output.status();
    result_.step.feeds.push_back(*output);
  }
  for (auto fetch : fetches) {
    auto output = output_of(fetch);
    if (!output) return output.status();
    result_.step.fetches.push_back(*output);
  }
  result_.step.is_partial = step_.is_partial;
  result_.graph = std::move(written_);
  return std::move(result_);
}

/// What the roots, feeds and fetches need.
std::vector<bool> StepWriter::needed_nodes(const std::vector<Output>& fetches) const {
  std::vector<bool> is_needed(nodes_.size());
  std::vector<int32_t> unseen;
  auto need = [&](NodeId id) {
    auto position = positions_[static_cast<size_t>(id)];
    if (position < 0 || is_needed[static_cast<size_t>(position)]) return;
    is_needed[static_cast<size_t>(position)] = true;
    unseen.push_back(position);
  };
  for (const auto& node : nodes_)
    if (node.is_root && !node.is_replaced()) need(node.node->id);
  for (auto feed : step_.feeds) need(feed.node);
  for (auto fetch : fetches) need(fetch.node);
  while (!unseen.empty()) {
    const auto& node = nodes_[static_cast<size_t>(unseen.back())];
    unseen.pop_back();
    for (auto input : node.inputs) need(input.node);
    for (auto input : node.control_inputs) need(input);
  }
  return is_needed;
}

/// A fed output needs a node, which does not run.
Status StepWriter::add_absent_feeds() {
  for (auto feed : step_.feeds) {
    if (positions_[static_cast<size_t>(feed.node)] >= 0) continue;
    auto added = written_->add(
        {.name = absent_feed_name(graph_.node(feed.node).name, feed.index),
         .op = "Placeholder",
         .device = "",
         .inputs = {},
         .attrs = {{"dtype", graph_.dtype_of(feed)}, {"shape", graph_.shape_of(feed)}}});
    if (!added) return added.status();
  }
  return {};
}

Status StepWriter::add(const StepNode& node) {
  if (!node.values.empty()) return add_values(node);
  NodeDef def{
      .name = node.node->name,
      .op = node.node->op->name(),
      .device = node.is_everywhere ? "" : node.node->device,
      .inputs = {},
      .attrs = node.node->attrs};
  def.inputs.reserve(node.inputs.size() + node.control_inputs.size());
  for (auto input : node.inputs) def.inputs.push_back(name_of(input));
  for (auto input : node.control_inputs) def.inputs.push_back("^" + graph_.node(input).name);
  return add_def(std::move(def), node);
}

Status StepWriter::add_values(const StepNode& node) {
  for (size_t i = 0; i < node.values.size(); ++i) {
    NodeDef def{
        .name = value_name(node.node->name, static_cast<int>(i)),
        .op = "Const",
        .device = node.is_everywhere ? "" : node.device->to_string(),
        .inputs = {},
        .attrs = {{"value", node.values[i]}, {"dtype", node.values[i].dtype()}}};
    for (auto input : node.control_inputs) def.inputs.push_back("^" + graph_.node(input).name);
    if (auto status = add_def(std::move(def), node); !status.ok()) return status;
  }
  return {};
}

Status StepWriter::add_def(NodeDef def, const StepNode& node) {
  auto id = written_->add(std::move(def));
  if (!id) return id.status();
  result_.step.nodes.push_back(*id);
  result_.devices.emplace_hint(result_.devices.end(), *id, *node.device);
  return {};
}

std::string StepWriter::name_of(Output output) const {
  const auto& name = graph_.node(output.node).name;
  auto position = positions_[static_cast<size_t>(output.node)];
  if (position < 0) return absent_feed_name(name, output.index) + ":0";
  if (!nodes_[static_cast<size_t>(position)].values.empty())
    return value_name(name, output.index) + ":0";
  return name + ":" + std::to_string(output.index);
}

Result<Output> StepWriter::output_of(Output output) const {
  return written_->find_output(name_of(output));
}

}  // namespace troupe
