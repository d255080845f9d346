#include "troupe/graph/passes/find_frames.hpp"

#include <map>
#include <numeric>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

class FrameFinder {
 public:
  FrameFinder(const Graph& graph, const std::vector<NodeId>& nodes) : graph_(graph), nodes_(nodes) {
    found_.frames.emplace_back();
    found_.of_nodes.resize(static_cast<size_t>(graph.size()));
    found_.of_outputs.resize(static_cast<size_t>(graph.size()));
  }

  Result<LoopFrames> run() {
    for (auto id : nodes_)
      if (auto status = add(graph_.node(id)); !status.ok()) return status;
    for (auto id : nodes_)
      if (auto status = check_back_edges(graph_.node(id)); !status.ok()) return status;
    return std::move(found_);
  }

 private:
  int& node_frame(NodeId id) { return found_.of_nodes[static_cast<size_t>(id)]; }
  int& output_frame(NodeId id) { return found_.of_outputs[static_cast<size_t>(id)]; }

  static bool is_everywhere(const Node& node) {
    return node.op->makes_resource_handle() ||
           (node.op->name() == "Const" && node.control_inputs.empty());
  }

  Status add(const Node& node) {
    if (is_everywhere(node)) {
      node_frame(node.id) = output_frame(node.id) = LoopFrames::any;
      return {};
    }
    auto frame = LoopFrames::any;
    NodeId known = -1;  // where the frame is known from
    auto merge = [&](NodeId input) -> Status {
      if (input > node.id) return {};  // a back edge, checked when all are known
      auto other = output_frame(input);
      if (other == LoopFrames::any || other == frame) return {};
      if (frame != LoopFrames::any) return conflict(node, known, input);
      frame = other;
      known = input;
      return {};
    };
    for (auto input : node.inputs)
      if (auto status = merge(input.node); !status.ok()) return status;
    for (auto input : node.control_inputs)
      if (auto status = merge(input); !status.ok()) return status;
    if (frame == LoopFrames::any) frame = 0;
    node_frame(node.id) = frame;
    return set_output_frame(node, frame);
  }

  Status set_output_frame(const Node& node, int frame) {
    const auto& op = node.op->name();
    output_frame(node.id) = loops::is_enter(op) ? entered_frame(node, frame) : frame;
    if (!loops::is_exit(op) && !loops::is_next_iteration(op)) return {};
    if (frame == 0)
      return invalid_argument("the node is in no loop, which it could leave or go on with")
          .at(where(node));
    if (loops::is_exit(op))
      output_frame(node.id) = found_.frames[static_cast<size_t>(frame)].parent;
    return {};
  }

  int entered_frame(const Node& node, int parent) {
    const auto& name = node.attr<std::string>("frame_name");
    auto [found, is_new] =
        numbers_.try_emplace({parent, name}, static_cast<int>(found_.frames.size()));
    if (is_new) found_.frames.push_back({name, parent, 1});
    auto& parallel = found_.frames[static_cast<size_t>(found->second)].parallel_iterations;
    parallel = std::max(parallel, node.attr<int64_t>("parallel_iterations"));
    return found->second;
  }

  Status check_back_edges(const Node& node) {
    for (auto input : node.inputs)
      if (input.node > node.id && output_frame(input.node) != node_frame(node.id))
        return conflict(node, node.inputs[0].node, input.node);
    return {};
  }

  Status conflict(const Node& node, NodeId a, NodeId b) {
    return invalid_argument(
               "the node has inputs from different loops: " + describe(a) + ", " + describe(b) +
               "; values come into a loop by Enter and leave it by Exit")
        .at(where(node));
  }

  std::string describe(NodeId id) {
    auto frame = output_frame(id);
    return "'" + graph_.node(id).name + "' is in " +
           (frame <= 0 ? "none"
                       : "the frame '" + found_.frames[static_cast<size_t>(frame)].name + "'");
  }

  static Where where(const Node& node) { return {.node = node.name, .op = node.op->name()}; }

  const Graph& graph_;
  const std::vector<NodeId>& nodes_;
  LoopFrames found_;
  std::map<std::pair<int, std::string>, int> numbers_;
};

}  // namespace

Result<LoopFrames> find_frames(const Graph& graph, const std::vector<NodeId>& nodes) {
  return FrameFinder(graph, nodes).run();
}

Result<LoopFrames> find_frames(const Graph& graph) {
  std::vector<NodeId> all(static_cast<size_t>(graph.size()));
  std::iota(all.begin(), all.end(), 0);
  return find_frames(graph, all);
}

}  // namespace troupe
