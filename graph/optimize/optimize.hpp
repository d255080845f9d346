#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/optimize/passes.hpp"
#include "troupe/graph/optimize/precision_lists.hpp"

namespace troupe {

/// What is done to a placed step before it is cut into partitions.
struct OptimizeOptions {
  /// Names of passes that are left out (optimization_passes()).
  std::vector<std::string> disabled = {};
  /// Without it no constants are folded.
  EvaluateNode evaluate = {};
  /// Before the passes, lets nodes on GPUs compute in float16 (mixed_precision.hpp). Null: not.
  std::shared_ptr<const PrecisionLists> precision = {};
  /// Called with the step after each pass; may be empty.
  std::function<void(std::string_view pass, const PlacedStep& step)> observe = {};
};

/// The names of the passes, in their order: those of their functions in passes.hpp.
std::vector<std::string> optimization_passes();
/// InvalidArgument names one that is no pass, and those that there are.
Status check_pass_names(const std::vector<std::string>& names);

/// Runs the passes. Null where they change nothing, and where what they made is no valid graph, as
/// it may be where a branch that is never taken has inputs that do not fit. What they are given
/// must outlive the call only.
std::shared_ptr<const PlacedStep> optimize(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
    const OptimizeOptions& options);

}  // namespace troupe
