#pragma once

#include "troupe/apps/swarm/op_rules.hpp"
#include "troupe/apps/swarm/world.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::swarm {

/// A step that a session may run at any time, always with the same result.
struct StepKind {
  std::vector<Feed> feeds;
  std::vector<Ref> fetches;
};

/// A random graph: the shared variables, in their order, and steps that compute on them.
struct RandomGraph {
  std::vector<Variable> variables;
  std::vector<Value> bumps;  // of each counter by 1; nothing for other variables
  std::vector<Value> reads;
  std::vector<StepKind> steps;
};

/// Draws a graph into the builder. Where it is `pinned`, its nodes wish for tasks of the cluster
/// picked at random, and its variables for theirs; else for none, and all else is the same.
RandomGraph draw_graph(const Builder& builder, const World& world, sim::Random random, bool pinned);

}  // namespace troupe::swarm
