#pragma once

#include <string>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// The feeds, fetches and targets of a step, by name. Steps with the same signature share their
/// compiled form.
struct StepSignature {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  bool is_partial = false;  // feeds and fetches are passed while the step runs

  bool operator==(const StepSignature&) const = default;
};

struct StepSignatureHash {
  size_t operator()(const StepSignature& signature) const;
};

/// The part of a graph that a step needs.
struct PrunedStep {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<NodeId> nodes;  // ascending, so inputs come before their users
  bool is_partial = false;
};

/// Walks back from the fetches and targets and stops at the feeds. An error names the feed, fetch
/// or target that the graph does not have (NotFound), that is fed twice, or that cannot be fed
/// (InvalidArgument), as a reference that a node of the step may write to.
Result<PrunedStep> prune(const Graph& graph, const StepSignature& signature);

/// The feeds, by number, that an output of the step cannot be computed without.
std::vector<int> feeds_needed_by(const Graph& graph, const PrunedStep& step, Output output);

}  // namespace troupe
