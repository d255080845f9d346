#include "troupe/apps/swarm/judge.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

using sim::Fault;

bool has_happened(const sim::Cluster& cluster, Fault::Kind kind) {
  return std::ranges::count(cluster.faults(), kind, &Fault::kind) > 0;
}

/// A clock that is a bit wrong excuses nothing.
bool is_excuse(const Fault& fault) { return fault.kind != Fault::Kind::skew; }

bool names_a_task_of(const Status& error, const Fault& fault) {
  auto is_named = [&](const std::string& task) {
    return error.where().task == task || error.message().find(task) != std::string::npos;
  };
  return std::ranges::any_of(fault.tasks, is_named) || std::ranges::any_of(fault.others, is_named);
}

bool names_a_task_that_suffered(const Status& error, const sim::Cluster& cluster) {
  return std::ranges::any_of(cluster.faults(), [&](const Fault& fault) {
    return is_excuse(fault) && names_a_task_of(error, fault);
  });
}

}  // namespace

std::string objection(
    const Status& error, const sim::Cluster& cluster, const Circumstances& circumstances) {
  auto is_troubled = std::ranges::any_of(cluster.faults(), is_excuse);
  switch (error.code()) {
    case Code::cancelled:
      return circumstances.was_cancelled || is_troubled ? "" : "nobody cancelled it";
    case Code::deadline_exceeded:
      return circumstances.has_timeout || is_troubled ? "" : "it had no timeout";
    case Code::failed_precondition:
      return circumstances.variables_lost || has_happened(cluster, Fault::Kind::crash)
                 ? ""
                 : "no variable was lost";
    case Code::aborted:
      return circumstances.variables_lost || is_troubled ? "" : "nothing has happened";
    case Code::resource_exhausted:
      return has_happened(cluster, Fault::Kind::limit_memory) ? "" : "no memory was taken away";
    case Code::unavailable:
      if (!is_troubled) return "nothing has happened";
      return names_a_task_that_suffered(error, cluster) ? "" : "it names no task that suffered";
    default: return "no step may end so";
  }
}

}  // namespace troupe::swarm
