#include "troupe/apps/swarm/oracle/failure_oracle.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

using sim::Fault;

/// The faults until that time, without clock skew, which must not fail any call.
std::vector<Fault> faults_until(const sim::Cluster& cluster, sim::Time until) {
  std::vector<Fault> faults;
  for (const auto& fault : cluster.faults())
    if (fault.kind != Fault::Kind::skew && fault.time <= until) faults.push_back(fault);
  return faults;
}

bool names_task_of(const Status& error, const Fault& fault) {
  auto is_named = [&](const std::string& task) {
    return error.where().task == task || error.message().find(task) != std::string::npos;
  };
  return std::ranges::any_of(fault.tasks, is_named) || std::ranges::any_of(fault.others, is_named);
}

bool affects(const Fault& fault, const std::string& task) {
  auto is_among = [&task](const sim::Tasks& tasks) { return std::ranges::count(tasks, task) > 0; };
  return is_among(fault.tasks) || is_among(fault.others);
}

/// Whether the second one ends the first.
bool is_ended_by(const Fault& fault, const Fault& end) {
  auto is_end = (fault.kind == Fault::Kind::freeze && end.kind == Fault::Kind::thaw) ||
                (fault.kind == Fault::Kind::cut && end.kind == Fault::Kind::heal) ||
                (fault.kind == Fault::Kind::slow && end.kind == Fault::Kind::slow);
  return is_end && end.time > fault.time && end.tasks == fault.tasks && end.others == fault.others;
}

/// Whether a fault that may end a connection, or was in effect, between these times.
bool was_in_effect(
    const std::vector<Fault>& faults, const Fault& fault, sim::Time from, sim::Time to) {
  if (fault.time > to) return false;
  if (fault.time >= from) return true;
  auto lasts = fault.kind == Fault::Kind::freeze || fault.kind == Fault::Kind::cut ||
               fault.kind == Fault::Kind::slow;
  return lasts && std::ranges::none_of(faults, [&](const Fault& end) {
           return is_ended_by(fault, end) && end.time < from;
         });
}

}  // namespace

std::string why_unexpected(
    const Status& error, const sim::Cluster& cluster, const CallConditions& conditions) {
  auto faults = faults_until(cluster, conditions.time);
  auto has = [&](Fault::Kind kind) { return std::ranges::count(faults, kind, &Fault::kind) > 0; };
  auto unless = [](bool is_explained, const char* text) { return is_explained ? "" : text; };
  auto has_faults = !faults.empty();
  auto lost = conditions.variables_lost || has(Fault::Kind::crash);
  auto is_named = [&](const Fault& fault) {
    return names_task_of(error, fault) ||
           std::ranges::count(fault.tasks, conditions.short_timeout_task) > 0;
  };
  switch (error.code()) {
    case Code::cancelled: {
      auto by_reset = error.message().find("by a reset") != std::string::npos;
      auto was_cancelled = conditions.was_cancelled || (by_reset && conditions.variables_lost);
      return unless(was_cancelled || has_faults, "it was not cancelled");
    }
    case Code::deadline_exceeded:
      return unless(conditions.has_timeout || has_faults, "it had no timeout");
    case Code::failed_precondition:
      return unless(lost || conditions.was_cancelled, "no variable was lost");
    case Code::aborted: return unless(lost || has_faults, "there was no fault");
    case Code::resource_exhausted:
      return unless(has(Fault::Kind::limit_memory), "no memory limit was lowered");
    case Code::unavailable:
      return unless(std::ranges::any_of(faults, is_named), "it names no task that had a fault");
    default: return "no call may fail with this code";
  }
}

bool may_be_uncommitted(
    const sim::Cluster& cluster, const std::string& by, const std::string& task, sim::Time began,
    sim::Time ended) {
  if (by == task) return false;
  auto faults = faults_until(cluster, ended + notice_time);
  return std::ranges::any_of(faults, [&](const Fault& fault) {
    return fault.kind != Fault::Kind::limit_memory &&
           (affects(fault, by) || affects(fault, task)) &&
           was_in_effect(faults, fault, began, ended + notice_time);
  });
}

}  // namespace troupe::swarm
