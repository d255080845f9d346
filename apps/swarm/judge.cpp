#include "troupe/apps/swarm/judge.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

using sim::Fault;

/// The faults until then. A clock that is a bit wrong excuses nothing.
std::vector<Fault> excuses(const sim::Cluster& cluster, sim::Time until) {
  std::vector<Fault> faults;
  for (const auto& fault : cluster.faults())
    if (fault.kind != Fault::Kind::skew && fault.time <= until) faults.push_back(fault);
  return faults;
}

bool names_a_task_of(const Status& error, const Fault& fault) {
  auto is_named = [&](const std::string& task) {
    return error.where().task == task || error.message().find(task) != std::string::npos;
  };
  return std::ranges::any_of(fault.tasks, is_named) || std::ranges::any_of(fault.others, is_named);
}

}  // namespace

std::string objection(
    const Status& error, const sim::Cluster& cluster, const Circumstances& circumstances) {
  auto faults = excuses(cluster, circumstances.time);
  auto has = [&](Fault::Kind kind) { return std::ranges::count(faults, kind, &Fault::kind) > 0; };
  auto unless = [](bool excused, const char* text) { return excused ? "" : text; };
  auto is_troubled = !faults.empty();
  auto lost = circumstances.variables_lost || has(Fault::Kind::crash);
  auto is_named = [&](const Fault& fault) {
    return names_a_task_of(error, fault) ||
           std::ranges::count(fault.tasks, circumstances.hurried) > 0;
  };
  switch (error.code()) {
    case Code::cancelled: {
      auto by_reset = error.message().find("by a reset") != std::string::npos;
      auto was_cancelled =
          circumstances.was_cancelled || (by_reset && circumstances.variables_lost);
      return unless(was_cancelled || is_troubled, "nobody cancelled it");
    }
    case Code::deadline_exceeded:
      return unless(circumstances.has_timeout || is_troubled, "it had no timeout");
    case Code::failed_precondition:
      return unless(lost || circumstances.was_cancelled, "no variable was lost");
    case Code::aborted: return unless(lost || is_troubled, "nothing has happened");
    case Code::resource_exhausted:
      return unless(has(Fault::Kind::limit_memory), "no memory was taken away");
    case Code::unavailable:
      return unless(std::ranges::any_of(faults, is_named), "it names no task that suffered");
    default: return "no step may end so";
  }
}

}  // namespace troupe::swarm
