#pragma once

#include <string>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// Without faults, all tasks of a step know within that time how it has ended.
inline constexpr sim::Time notice_time = std::chrono::milliseconds(200);

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

/// Whether faults explain that one task has not heard from the other how a step has ended that
/// began and ended then.
bool may_be_uncommitted(
    const sim::Cluster& cluster, const std::string& by, const std::string& task, sim::Time began,
    sim::Time ended);

}  // namespace troupe::swarm
