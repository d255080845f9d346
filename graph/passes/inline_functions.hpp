#pragma once

#include <memory>

#include "troupe/graph/passes/prune.hpp"

namespace troupe {

/// A step without calls of functions, in a graph of its own.
struct InlinedStep {
  std::shared_ptr<const Graph> graph;
  PrunedStep step;
};

/// Replaces each call in a step by the nodes of its function, so that each of them is placed by
/// itself, and what reads a variable whose handle is fed by that value (fed_variables.hpp). Null
/// where the step has neither: nothing is copied.
///
/// The node "n" of the call "c" becomes "c/n" ("c/n_1" if the graph has that name), on its own
/// device constraint, whose open fields are those of the call's. Inputs of the call become inputs
/// of the nodes that use the arguments. What the call waits for is what all its nodes wait for; who
/// waits for the call waits for its results and its stateful nodes. Stateful nodes run whenever the
/// call runs; other nodes only if something needs their outputs. A feed or fetch of a call's output
/// stays one. Calls in functions are replaced, too.
///
/// InvalidArgument: the step has more than `inlined_nodes_max` nodes of functions. Other errors are
/// at the node "c/n".
Result<std::unique_ptr<InlinedStep>> inline_functions(
    const Graph& graph, const StepSignature& signature, const PrunedStep& step);

}  // namespace troupe
