#pragma once

#include <string>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// What may explain the failure of a call, besides the faults of the cluster.
struct CallConditions {
  sim::Time time{0};  // of the failure
  bool has_timeout = false;
  bool was_cancelled = false;   // by its client, also by closing the session
  bool variables_lost = false;  // a variable may have had no value
  /// The master of a call whose timeout is so short that it may report other tasks as lost when the
  /// faults were its own; empty for steps.
  std::string short_timeout_task;
};

/// Why neither the faults of the cluster nor the conditions of the call explain an error; empty if
/// they do.
std::string why_unexpected(
    const Status& error, const sim::Cluster& cluster, const CallConditions& conditions);

}  // namespace troupe::swarm
