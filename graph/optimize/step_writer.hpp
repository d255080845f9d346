#pragma once

#include <vector>

#include "troupe/graph/optimize/step_graph.hpp"

namespace troupe {

/// Writes what passes have made of a step's nodes as a graph.
class StepWriter {
 public:
  /// `nodes` are current; `positions` finds them by their ids.
  StepWriter(
      const Graph& graph, const PrunedStep& step, const std::vector<StepNode>& nodes,
      const std::vector<int32_t>& positions);

  /// As StepGraph::to_step(), with those fetches.
  Result<PlacedStep> write(const std::vector<Output>& fetches);

 private:
  std::vector<bool> needed_nodes(const std::vector<Output>& fetches) const;
  Status add_absent_feeds();
  Status add(const StepNode& node);
  Status add_values(const StepNode& node);
  Status add_def(NodeDef def, const StepNode& node);
  std::string name_of(Output output) const;
  Result<Output> output_of(Output output) const;

  const Graph& graph_;
  const PrunedStep& step_;
  const std::vector<StepNode>& nodes_;
  const std::vector<int32_t>& positions_;
  std::shared_ptr<Graph> written_;
  PlacedStep result_;
};

}  // namespace troupe
