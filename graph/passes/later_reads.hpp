#pragma once

#include <map>
#include <optional>
#include <utility>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/passes/prune.hpp"

namespace troupe {

/// The inputs of a placed step that are values of variables of references, and that have to be read
/// again when their node runs: the step has written to the variable since.
///
/// In TensorFlow the value of such a variable is its memory, through any number of Identity,
/// StopGradient, Switch and Enter, as long as it stays on its device. A node that control
/// dependencies put after an assignment so sees what was assigned, though the value came from an
/// Identity before it. Programs depend on that: a variable has one Identity outside of all loops,
/// which all that use the variable take.
class LaterReads {
 public:
  LaterReads(
      const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices);

  /// The reference to read in place of the input; nothing for most inputs.
  std::optional<Output> of(NodeId node, Output input) const {
    auto found = references_.find({node, input});
    return found == references_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::pair<NodeId, Output>, Output> references_;
};

/// Whether the op gives its first input, in the same memory.
bool shares_memory_of_input(const Node& node);

}  // namespace troupe
