#pragma once

#include <string>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// What a step's failure may be excused by, besides the faults that have happened.
struct Circumstances {
  sim::Time time{0};  // of the failure
  bool has_timeout = false;
  bool was_cancelled = false;  // by its client, which may also have closed its session
  bool variables_lost = false;
  /// Who had so little time that it may blame others where it suffered itself; empty for steps.
  std::string hurried;
};

/// Why a step must not fail so in that cluster; empty where it may.
std::string objection(
    const Status& error, const sim::Cluster& cluster, const Circumstances& circumstances);

}  // namespace troupe::swarm
