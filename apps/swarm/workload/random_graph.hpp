#pragma once

#include <optional>

#include "troupe/apps/swarm/scenario_plan.hpp"
#include "troupe/apps/swarm/workload/accumulator_graph.hpp"
#include "troupe/apps/swarm/workload/op_rules.hpp"
#include "troupe/apps/swarm/workload/queue_graph.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::swarm {

/// Feeds and fetches of a step that always has the same result.
struct StepKind {
  std::vector<Feed> feeds;
  std::vector<Ref> fetches;
};

/// A random graph: the shared resources in the order of the plan, and steps that use the variables.
struct RandomGraph {
  std::vector<Variable> variables;
  std::vector<Value>
      increments;  // increments of the counters by 1; invalid values for other variables
  std::vector<Value> reads;
  std::vector<StepKind> steps;
  std::vector<QueueOps> queues;
  std::vector<AccumulatorOps> accumulators;
  std::optional<RunnerOps> runner;
};

/// Draws a graph into the builder, without queues and accumulators. If `pinned`, nodes have random
/// tasks of the cluster as device constraints, and variables the tasks of the plan; else there are
/// none, and the graph is the same.
RandomGraph draw_graph(
    const Builder& builder, const ScenarioPlan& plan, sim::Random random, bool pinned);

/// Adds the shared queues, accumulators and runner to it.
void add_queues(RandomGraph& graph, const Builder& builder, const ScenarioPlan& plan);

}  // namespace troupe::swarm
