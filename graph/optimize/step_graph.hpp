#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/passes/prune.hpp"

namespace troupe {

/// A step whose nodes have devices, in a graph of its own.
struct PlacedStep {
  std::shared_ptr<const Graph> graph;
  PrunedStep step;
  std::map<NodeId, DeviceName> devices;
};

/// A node as the passes have left it.
struct StepNode {
  const Node* node;  // as the graph has it
  const DeviceName* device;
  int device_number;                    // the same for nodes of one device
  std::vector<Output> inputs;           // of the graph's nodes
  std::vector<NodeId> control_inputs;   // ascending, each once, only nodes of the step
  Tensors values = {};                  // of all outputs, once the node is a constant
  std::vector<Output> stands_for = {};  // what replaces each output; empty: nothing does
  bool is_root = false;         // runs, whoever uses it: a fetch, a target, or what has state
  bool is_fetched = false;      // an output is a fetch
  bool has_fed_output = false;  // an output is a feed
  bool is_everywhere = false;   // a constant that each device which uses it gets a copy of

  bool is_pure = false;  // StepGraph::is_pure()
  bool is_control_flow = false;

  bool is_replaced() const { return !stands_for.empty(); }
  bool is_constant() const { return !values.empty() || node->op->name() == "Const"; }
};

/// What optimization passes work on: the nodes of a placed step, whose inputs and values they
/// change, in place of a copy of the graph for each pass.
///
/// OP-1: a node that has state or a reference among its inputs or outputs, and one with a fed
///       output, stays as it is, but for the names of its inputs.
/// OP-2: an output is replaced by one of the same device, dtype, frame and deadness only; a fetch
///       never by a feed.
/// OP-3: a node comes after its inputs, as in the graph, whatever passes have done.
class StepGraph {
 public:
  /// The graph and the devices must outlive it.
  StepGraph(
      const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices);

  /// Calls back with each node that is not replaced, inputs first. Its inputs are current then.
  template <class Callback>
  void for_each_node(Callback callback) {
    for (auto& node : nodes_)
      if (!node.is_replaced()) {
        refresh(node);
        callback(node);
      }
  }

  /// Null where the step does not run it, because it is fed.
  StepNode* find(NodeId id);
  const StepNode* find(NodeId id) const { return const_cast<StepGraph*>(this)->find(id); }
  bool is_fed(Output output) const;
  /// The node that a value comes from; null for a fed one.
  const StepNode* source_of(Output output) const;
  DType dtype_of(Output output) const { return graph_.dtype_of(output); }
  const Shape& shape_of(Output output) const;
  /// The value of a constant's output; null where it is not known.
  const Tensor* constant(Output output) const;
  const Graph& graph() const { return graph_; }

  /// Whether passes may merge, replace or compute the node: a function of its inputs (OP-1).
  static bool is_pure(const StepNode& node) { return node.is_pure && !node.has_fed_output; }

  /// Makes a constant of a pure node.
  void set_values(StepNode& node, Tensors values, std::vector<NodeId> control_inputs);
  /// Lets what uses the node use those outputs; control edges from it come from the first.
  void replace(StepNode& node, std::vector<Output> by);
  /// Replaces the inputs that only order it.
  void set_control_inputs(StepNode& node, std::vector<NodeId> inputs);

  /// Whether any pass has changed anything.
  bool is_changed() const { return is_changed_; }
  void mark_changed() { is_changed_ = true; }

  /// The step that the passes have made, without what nobody needs any more. InvalidArgument where
  /// what became known shows that a node's inputs do not fit.
  Result<PlacedStep> to_step();

 private:
  void refresh(StepNode& node) const;
  void find_roots();
  Output current(Output output) const;
  NodeId current_control(NodeId id) const;

  const Graph& graph_;
  const PrunedStep& step_;
  std::vector<StepNode> nodes_;     // ascending
  std::vector<int32_t> positions_;  // in nodes_, by NodeId; -1: not of the step
  std::vector<Output> feeds_;       // sorted
  bool is_changed_ = false;
};

/// Whether the op begins or ends a branch or an iteration, so that its outputs may be dead, or be
/// in another frame than its inputs.
inline bool is_control_flow(const StepNode& node) { return node.is_control_flow; }

}  // namespace troupe
