#pragma once

#include "troupe/graph/graph.hpp"

namespace troupe {

/// The nodes that replace a conditional or a loop of functions, as the body of a function whose
/// arguments are the inputs of the node, and whose results are its outputs. Branches and bodies are
/// calls in it.
struct LoweredNode {
  FunctionDef function;
  /// A node that runs when the stateful nodes of the branch that was chosen, or of all iterations,
  /// have run. These may be dead, or in a loop, where others cannot wait for them.
  std::string done;
};

/// If, StatelessIf and Case: a Switch brings each input into the branches, and a Merge takes each
/// output from the branch that runs. With `inputs` of those dtypes and shapes.
Result<LoweredNode> lower_conditional(
    const NodeDef& node, const std::vector<FunctionArgument>& inputs, const Graph& graph);

/// While, StatelessWhile and For: a frame. Handles, which no iteration changes, come in as
/// constants of the loop. Where the body is stateful, an iteration begins when the one before has
/// ended.
Result<LoweredNode> lower_loop(
    const NodeDef& node, const std::vector<FunctionArgument>& inputs, const Graph& graph);

/// Attribute of a lowered node that is colocated with the node that makes its input, so that the
/// value is not sent to a device that does not need it.
inline constexpr const char* colocate_with_input_attr = "_colocate_with_input";

}  // namespace troupe
