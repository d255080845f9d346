#pragma once

#include <string>
#include <vector>

#include "troupe/graph/passes/prune.hpp"

namespace troupe {

/// Where a node says which dtype some of its values have, and where those come from and go to: an
/// attribute, an entry of an attribute that is a list, or the definition of the op alone.
struct TypeSlot {
  int node = 0;           // its position in the step
  std::string attr = {};  // empty: the definition says it
  int index = -1;         // of a list
  DType dtype = DType::invalid;
  std::vector<int> before = {};  // slots of the outputs that are its inputs
  std::vector<int> after = {};   // slots of the inputs that are its outputs
};

/// A node of a step as a graph of slots has it.
struct TypedNode {
  const Node* node;
  const Op* op;  // that of the node, or what takes its place
  Attrs attrs;   // those of that op
  std::vector<int> slots = {};
  std::vector<int> of_inputs = {};  // the slot of each input
  std::vector<int> of_outputs = {};
};

/// The dtypes of a step's nodes as a graph, in which the dtypes of different attributes of a node
/// are apart: those of a Cast, or of the numbers and the sizes that an op takes.
///
/// A FusedBatchNorm, and its gradient, is what TensorFlow calls its second version, whose
/// statistics have a dtype of their own.
class StepTypes {
 public:
  /// The graph must outlive it.
  StepTypes(const Graph& graph, const PrunedStep& step);

  const std::vector<TypedNode>& nodes() const { return nodes_; }
  const std::vector<TypeSlot>& slots() const { return slots_; }
  const TypedNode& node_of(const TypeSlot& slot) const {
    return nodes_[static_cast<size_t>(slot.node)];
  }
  const TypeSlot& slot(int number) const { return slots_[static_cast<size_t>(number)]; }
  bool is_fed(Output output) const;
  /// -1 for a value that is fed.
  int slot_of(Output output) const;

 private:
  void add(const Node& node);
  int find_slot(int position, const std::string& attr, int index, DType dtype);
  std::vector<int> slots_of(int position, const std::vector<Argument>& arguments);
  void connect();

  const Graph& graph_;
  std::vector<TypedNode> nodes_;
  std::vector<TypeSlot> slots_;
  std::vector<int> positions_;  // of the step's nodes, by NodeId; -1: none of them
  std::vector<Output> feeds_;   // sorted
};

}  // namespace troupe
