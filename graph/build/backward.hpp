#pragma once

#include <map>
#include <set>
#include <vector>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"

namespace troupe {

/// Backpropagation from the ys to the xs. The nodes of the gradient of a node in a branch or loop
/// are in a branch or loop of their own: a branch runs if that of the node does; a loop goes
/// through the iterations of the node's in reverse order.
class Backward {
 public:
  Backward(
      const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options);

  Result<std::vector<GradientValue>> run();

 private:
  // -- nodes
  bool is_in_scope(NodeId id, int scope) const;
  void mark_paths();
  bool mark_reached(std::vector<bool>& reached) const;
  bool mark_needed(std::vector<bool>& needed) const;
  bool passes_on(NodeId id) const { return !stops_.contains(id); }
  bool continues(const Node& node) const;
  /// Why no gradient has reached an x: names the ys, and what lies between.
  Status unconnected(const Value& x) const;
  std::string blocker(const Value& x) const;
  Status begin();
  /// All nodes that are in that context, but not in a loop inside of it.
  Status propagate_all(int scope);
  Status propagate(NodeId id);
  Status apply_gradient(const Node& node);
  Builder builder_for(const Node& node) const;

  // -- gradients of outputs
  void add(Output output, const GradientValue& gradient) { gradients_[output].push_back(gradient); }
  GradientValue sum(Output output);
  GradientValue sum(const std::vector<GradientValue>& parts);
  GradientValue outside(GradientValue gradient) const;
  IndexedSlices all_rows(const std::vector<GradientValue>& parts);
  /// As sum(), a tensor; zeros if there is none.
  Value sum_or_zeros(Output output);
  Value zeros_of(const Value& value);

  // -- branches and loops
  ControlFlowContexts& contexts() const { return builder_.contexts(); }
  /// Where the gradient of what is in that context is computed.
  int gradient_context(int context);
  bool is_import(const Node& node) const;
  /// An import into a context that gradients are asked for in.
  bool is_import_around(const Node& node) const;
  Status pass_outside(const Node& node);
  bool is_conditional_merge(const Node& node) const;
  Status propagate_merge(const Node& node);
  Status propagate_switch(const Node& node);
  /// The loop in `scope` that the node is in; -1: none.
  int loop_of(NodeId id, int scope) const;
  /// A gradient that goes round a loop.
  struct Carried {
    Value initial;
    Shape shape;
    Output source;  // whose gradient it is after the loop
    Output inside;  // whose gradient an iteration adds to it, or replaces it by
    bool is_sum;
  };
  Status propagate_loop(int loop);
  Values add_reverse_iterations(
      int loop, WhileLoop& reverse, const std::vector<LoopVariable>& variables,
      const std::vector<Carried>& carried);
  Value with_shape(const Value& value, const Shape& shape);
  std::vector<LoopVariable> active_variables(int loop) const;
  void note_loop_nodes(int loop);

  Builder builder_;
  int forward_size_;
  const Values& ys_;
  const Values& xs_;
  const GradientOptions& options_;
  const int base_;  // the context that gradients are asked for in
  std::set<NodeId> stops_;
  std::vector<bool> needed_;   // nodes that some y depends on
  std::vector<bool> on_path_;  // and that a gradient may pass on its way to an x
  std::vector<std::pair<NodeId, NodeId>> back_edges_;  // from a NextIteration to its Merge
  std::map<Output, std::vector<GradientValue>> gradients_;
  std::map<int, int> gradient_contexts_;
  std::set<int> loops_done_;
  std::set<NodeId> loop_nodes_;  // that carry the values of loops, which are passed as a whole
};

}  // namespace troupe
