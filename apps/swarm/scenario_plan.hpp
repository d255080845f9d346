#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// A variable that all sessions share.
struct SharedVariable {
  std::string name;
  std::string container;
  std::string task;  // where it is placed
  Tensor initial;
  bool is_counter = false;  // incremented by steps; others are only read
};

/// What a seed determines in advance: the cluster, the shared variables, and the faults.
struct ScenarioPlan {
  std::map<std::string, int> jobs;
  sim::Options options;
  std::vector<sim::Fault> faults;
  sim::Time faults_end{0};  // all faults have ended by then
  std::vector<SharedVariable> variables;
  std::vector<std::string> masters;  // of the sessions

  /// The containers that the plan of any seed uses.
  static const std::vector<std::string>& containers();
};

/// Draws the plan of a seed; the same seed gives the same plan.
ScenarioPlan draw_plan(sim::Seed seed, const sim::Catalogs& catalogs);

}  // namespace troupe::swarm
