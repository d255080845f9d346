#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

class Builder;

/// A variable of a loop, by the nodes that carry it.
struct LoopVariable {
  Output enter;
  Output merge;
  Output body;  // its value in the body of the loop
  Output exit;
  Output next;  // the NextIteration; no node before the body is complete
};

/// Counts the iterations of a loop for its gradient.
struct LoopCounter {
  LoopVariable variable;
  std::string next;            // the name of its NextIteration
  std::vector<NodeId> pushes;  // of values, in an iteration of the loop
  std::vector<NodeId> pops;    // in one of the gradient
};

/// A branch of a conditional, or a loop, while and after its nodes are added. (TensorFlow:
/// CondContext, WhileContext.)
struct ControlFlowContext {
  int parent = -1;  // the one around it; -1: none
  bool is_loop = false;
  /// The context whose gradient it computes: values of that one reach it over stacks. -1: none.
  int forward = -1;
  LoopCounter counter = {};  // of the forward loop, in the loop of its gradient

  Output predicate = {};  // of a branch, in the parent
  int branch = 0;         // the value of the predicate that chooses it

  std::string frame = {};  // of a loop
  int64_t parallel_iterations = 10;
  std::vector<LoopVariable> variables = {};
  NodeId condition = -1;  // its LoopCond

  /// What nodes without other inputs of the context wait for.
  NodeId pivot = -1;
  /// Values from outside, and what they are called inside.
  std::map<Output, Output> imported = {};
};

/// Which branch or loop each node of a graph is in, as far as a builder has made it.
class ControlFlowContexts {
 public:
  /// That new nodes are added in; -1: none.
  int current() const { return current_; }
  void set_current(int context) { current_ = context; }

  int add(ControlFlowContext context);
  const ControlFlowContext& at(int context) const { return all_[static_cast<size_t>(context)]; }
  ControlFlowContext& at(int context) { return all_[static_cast<size_t>(context)]; }
  int size() const { return static_cast<int>(all_.size()); }

  int of(NodeId node) const {
    auto index = static_cast<size_t>(node);
    return index < of_nodes_.size() ? of_nodes_[index] : -1;
  }
  void put(NodeId node, int context);

  /// What a pop from the stack of a loop's history gives: the value that the loop pushed there.
  void note_recalled(NodeId pop, Output value) { recalled_[pop] = value; }
  const Output* recalled(NodeId pop) const {
    auto found = recalled_.find(pop);
    return found == recalled_.end() ? nullptr : &found->second;
  }

  /// Whether `inner` is `outer` or in it; everything is in -1.
  bool is_in(int inner, int outer) const;
  /// The innermost loop that is `context` or around it; -1: none.
  int loop_around(int context) const;

 private:
  std::vector<ControlFlowContext> all_;
  std::vector<int> of_nodes_;
  std::map<NodeId, Output> recalled_;
  int current_ = -1;
};

/// Makes another context the current one while it lives.
class CurrentContext {
 public:
  CurrentContext(ControlFlowContexts& contexts, int context)
      : contexts_(contexts), before_(contexts.current()) {
    contexts.set_current(context);
  }
  CurrentContext(const CurrentContext&) = delete;
  ~CurrentContext() { contexts_.set_current(before_); }

 private:
  ControlFlowContexts& contexts_;
  const int before_;
};

/// Makes a value available in a context: an Enter brings it into a loop, a Switch into a branch,
/// and from a loop into that of its gradient it comes over a stack. InvalidArgument for a value of
/// another branch or loop.
Result<Output> import_value(const Builder& builder, Output value, int context);

/// Prepares a node that is to be added in the current context: replaces inputs from outside by what
/// they are called inside, and lets it wait for the context's pivot if nothing else says when it
/// runs.
Status adopt_node(const Builder& builder, std::vector<Output>& inputs, NodeDef& def);

}  // namespace troupe
