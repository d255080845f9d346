#include "troupe/graph/draw/dot.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// `text` as a quoted string of the DOT language.
std::string quote_dot(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += {'\\', c};
    else if (c == '&') quoted += "&amp;";  // Graphviz reads HTML's names of characters
    else if (c == '\n') quoted += "\\n";
    else quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '"';
}

/// "a/b/" of "a/b/c" with depth 2; empty for a name with fewer scopes.
std::string scope_of(const std::string& name, int depth) {
  size_t end = 0;
  for (int i = 0; i < depth; ++i) {
    end = name.find('/', end);
    if (end++ == std::string::npos) return {};
  }
  return name.substr(0, end);
}

bool is_step_boundary(const Node& node) { return node.op->name().starts_with('_'); }

std::string style_of(const Node& node) {
  if (is_step_boundary(node)) return "shape=oval";
  if (!node.op->is_stateful()) return "";
  bool is_handle = node.op->makes_resource_handle() || node.op->works_on_named_resource() ||
                   std::ranges::count(node.output_dtypes, DType::resource) > 0;
  return is_handle ? "shape=cylinder style=filled fillcolor=lightyellow"
                   : "style=\"rounded,filled\" fillcolor=lightyellow";
}

std::string label_of(DType dtype, const Shape& shape) {
  return to_string(dtype) + (shape.has_rank() ? shape.to_string() : "");
}

/// Boxes in frames, and arrows between them. A node is identified by frame and name.
class Picture {
 public:
  struct NodeKey {
    std::string frame;  // empty: outside of all
    std::string node;
  };
  struct EdgeLabel {
    std::string label;  // empty: a control edge
    bool is_control() const { return label.empty(); }
  };

  explicit Picture(const DotOptions& options) : options_(options) {}

  void add(const std::string& frame, const Node& node) {
    add(frame, node.name, node.op->name(), style_of(node));
  }

  /// A box with the name and that text; one whose text begins with '_' is in no scope.
  void add(
      const std::string& frame, const std::string& name, const std::string& text,
      const std::string& style) {
    auto scope = text.starts_with('_') ? "" : scope_of(name, options_.scope_depth);
    auto key = std::pair(frame, scope.empty() ? name : scope);
    auto [found, is_new] = box_of_.emplace(key, boxes_.size());
    if (is_new && boxes_.size() < options_.boxes_max)
      boxes_.push_back({frame, key.second + "\n" + text, style});
    else if (is_new) box_of_.erase(found);
    if (!box_of_.contains(key)) ++left_out_;
    else if (!scope.empty()) add_to_scope(boxes_[box_of_.at(key)], scope);
  }

  /// Does nothing if one of them was left out.
  void connect(const NodeKey& from, const NodeKey& to, const EdgeLabel& edge) {
    auto source = box_at(from), target = box_at(to);
    if (!source || !target || source == target) return;
    auto [found, is_new] = arrows_.emplace(Ends{*source, *target, edge.is_control()}, Arrow{});
    auto& arrow = found->second;
    arrow.crosses = from.frame != to.frame;
    ++arrow.count;
    if (is_new) arrow.label = edge.label;
    else if (arrow.label != edge.label) arrow.label = std::to_string(arrow.count) + " tensors";
  }

  std::string to_dot() const {
    std::string text =
        "digraph {\n"
        "  node [shape=box style=rounded fontname=Helvetica fontsize=11]\n"
        "  edge [fontname=Helvetica fontsize=9]\n"
        "  graph [fontname=Helvetica fontsize=11]\n";
    write_frames(text);
    for (const auto& [ends, arrow] : arrows_) write(text, ends, arrow);
    if (left_out_ > 0) write_note(text);
    return text + "}\n";
  }

 private:
  struct Box {
    std::string frame;
    std::string label;
    std::string style;
    int node_count = 0;  // of a scope
  };
  struct Ends {
    size_t from;
    size_t to;
    bool is_control;
    auto operator<=>(const Ends&) const = default;
  };
  struct Arrow {
    std::string label;
    int count = 0;
    bool crosses = false;
  };

  static void add_to_scope(Box& box, const std::string& scope) {
    ++box.node_count;
    box.label =
        scope + "\n" + std::to_string(box.node_count) + (box.node_count == 1 ? " node" : " nodes");
    box.style = "shape=box3d style=\"\"";
  }

  std::optional<size_t> box_at(const NodeKey& key) const {
    for (const auto& name : {key.node, scope_of(key.node, options_.scope_depth)})
      if (auto found = box_of_.find({key.frame, name}); found != box_of_.end())
        return found->second;
    return {};
  }

  void write_frames(std::string& text) const {
    std::map<std::string, std::vector<size_t>> frames;
    for (size_t i = 0; i < boxes_.size(); ++i) frames[boxes_[i].frame].push_back(i);
    int frame_count = 0;
    for (const auto& [frame, boxes] : frames) {
      if (!frame.empty())
        text += "  subgraph cluster_" + std::to_string(frame_count++) +
                " {\n    label=" + quote_dot(frame) + "\n";
      for (auto box : boxes) write(text, frame.empty() ? "  " : "    ", box);
      if (!frame.empty()) text += "  }\n";
    }
  }

  void write(std::string& text, const char* indent, size_t box) const {
    const auto& style = boxes_[box].style;
    text += indent + ("n" + std::to_string(box)) + " [label=" + quote_dot(boxes_[box].label);
    text += (style.empty() ? "" : " " + style) + "]\n";
  }

  static void write(std::string& text, const Ends& ends, const Arrow& arrow) {
    text += "  n" + std::to_string(ends.from) + " -> n" + std::to_string(ends.to) + " [";
    text += ends.is_control ? "style=dashed" : "label=" + quote_dot(arrow.label);
    text += arrow.crosses ? " color=blue]\n" : "]\n";
  }

  void write_note(std::string& text) const {
    auto words = "Not drawn: " + std::to_string(left_out_) +
                 " more nodes.\nDotOptions::boxes_max is " + std::to_string(options_.boxes_max) +
                 ";\nscope_depth draws scopes as one.";
    text += "  note [shape=note label=" + quote_dot(words) + "]\n";
  }

  const DotOptions& options_;
  std::map<std::pair<std::string, std::string>, size_t> box_of_;
  std::vector<Box> boxes_;
  std::map<Ends, Arrow> arrows_;
  size_t left_out_ = 0;
};

/// The partitions of a step, by device.
using PartitionGraphs = std::map<std::string, Graph>;

Result<PartitionGraphs> partition_graphs_of(const RunMetadata& metadata) {
  PartitionGraphs graphs;
  auto catalog = op_catalog();
  for (const auto& run : metadata.devices) {
    if (run.graph.empty()) continue;
    auto& graph = graphs.emplace(run.device, Graph(catalog)).first->second;
    for (const auto& def : run.graph)
      if (auto added = graph.add(def); !added) return added.status().at({.device = run.device});
  }
  if (!graphs.empty()) return graphs;
  return invalid_argument(
      "the metadata has no graphs to draw: run the step with output_partition_graphs");
}

/// Draws the partitions of a step, with arrows in place of the pairs of _Send and _Recv.
class PartitionDrawer {
 public:
  PartitionDrawer(const PartitionGraphs& graphs, Picture& picture)
      : graphs_(graphs), picture_(picture) {}

  void draw() {
    for (const auto& [device, graph] : graphs_)
      for (const auto& node : graph.nodes())
        if (!is_drawn_as_arrow(node)) picture_.add(device, node);
    for (const auto& [device, graph] : graphs_)
      for (const auto& node : graph.nodes())
        if (!is_drawn_as_arrow(node)) connect(device, graph, node);
  }

 private:
  /// False for a _Send or _Recv whose other end is the client, or a device that reported nothing.
  bool is_drawn_as_arrow(const Node& node) const {
    const auto& op = node.op->name();
    if (op == transfer::send) return graphs_.contains(node.attr<std::string>("to_device"));
    if (op == transfer::recv) return graphs_.contains(node.attr<std::string>("from_device"));
    return node.name.starts_with(transfer::signal_prefix);
  }

  void connect(const std::string& device, const Graph& graph, const Node& node) {
    for (auto input : node.inputs)
      picture_.connect(
          source_of(device, graph.node(input.node)), {device, node.name},
          {label_of(graph.dtype_of(input), graph.shape_of(input))});
    for (auto input : node.control_inputs)
      picture_.connect(source_of(device, graph.node(input)), {device, node.name}, {});
  }

  Picture::NodeKey source_of(const std::string& device, const Node& input) const {
    if (input.op->name() != transfer::recv || !is_drawn_as_arrow(input))
      return {device, input.name};
    auto tensor = input.attr<std::string>("tensor_name");  // "x:1", or "^x" for the end of x
    auto name = tensor.starts_with('^') ? tensor.substr(1) : tensor.substr(0, tensor.rfind(':'));
    return {input.attr<std::string>("from_device"), name};
  }

  const PartitionGraphs& graphs_;
  Picture& picture_;
};

std::string text_of(const ExplainedNode& node) {
  auto us = [](std::chrono::nanoseconds time) {
    return std::to_string((time.count() + 500) / 1000) + " us";
  };
  auto text = node.op + "\n" + us(node.predicted);
  return node.measured_steps > 0 ? text + " (" + us(node.measured) + " measured)" : text;
}

std::string node_of(const std::string& input) {
  return input.starts_with('^') ? input.substr(1) : input.substr(0, input.rfind(':'));
}

}  // namespace

std::string to_dot(const Graph& graph, const DotOptions& options) {
  Picture picture(options);
  for (const auto& node : graph.nodes()) picture.add(node.device, node);
  auto key_of = [&](NodeId id) {
    return Picture::NodeKey{graph.node(id).device, graph.node(id).name};
  };
  for (const auto& node : graph.nodes()) {
    for (auto input : node.inputs)
      picture.connect(
          key_of(input.node), key_of(node.id),
          {label_of(graph.dtype_of(input), graph.shape_of(input))});
    for (auto input : node.control_inputs) picture.connect(key_of(input), key_of(node.id), {});
  }
  return picture.to_dot();
}

std::string to_dot(const StepExplanation& explanation, const DotOptions& options) {
  Picture picture(options);
  std::map<std::string, std::string> device_of;
  for (const auto& node : explanation.nodes) {
    device_of[node.node] = node.device;
    picture.add(node.device, node.node, text_of(node), "");
  }
  std::map<std::pair<std::string, std::string>, uint64_t> crossing;  // tensor and device: bytes
  for (const auto& transfer : explanation.transfers)
    crossing[{transfer.tensor, transfer.to}] = transfer.bytes;
  for (const auto& node : explanation.nodes)
    for (const auto& input : node.inputs) {
      auto source = device_of.find(node_of(input));
      if (source == device_of.end()) continue;  // it is fed
      auto bytes = crossing.find({input, node.device});
      Picture::EdgeLabel label{input.starts_with('^') ? "" : input};
      if (bytes != crossing.end() && !label.is_control())
        label.label += " " + std::to_string(bytes->second) + " B";
      picture.connect({source->second, source->first}, {node.device, node.node}, label);
    }
  return picture.to_dot();
}

Result<std::string> to_dot(const RunMetadata& metadata, const DotOptions& options) {
  auto graphs = partition_graphs_of(metadata);
  if (!graphs) return graphs.status();
  Picture picture(options);
  PartitionDrawer(*graphs, picture).draw();
  return picture.to_dot();
}

}  // namespace troupe
