#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// A variable that all sessions of a seed share.
struct SharedVariable {
  std::string name;
  std::string container;
  std::string task;  // where it lives
  Tensor initial;
  bool is_counter = false;  // bumped by steps; others are only read
};

/// What a seed is about: the cluster, what its sessions share, and what goes wrong.
struct World {
  std::map<std::string, int> jobs;
  sim::Options options;
  std::vector<sim::Fault> faults;
  sim::Time faults_end{0};  // from then on nothing is broken any more
  std::vector<SharedVariable> variables;
  std::vector<std::string> masters;  // of the sessions

  /// All names that variables of any seed may have for containers.
  static const std::vector<std::string>& containers();
};

/// All of it follows from the seed, but for the catalogs.
World draw_world(sim::Seed seed, const sim::Catalogs& catalogs);

}  // namespace troupe::swarm
