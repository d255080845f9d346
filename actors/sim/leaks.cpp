#include "troupe/actors/sim/cluster_parts.hpp"

namespace troupe::sim {
namespace {

constexpr Time quiet_patience = std::chrono::seconds(10);
constexpr std::chrono::milliseconds reset_timeout{1000};

struct NamedGauge {
  Gauges::Held Gauges::*gauge;
  const char* name;
  bool of_calls;  // held for a call that runs, and not for a session
};

constexpr NamedGauge gauges[] = {
    {&Gauges::sessions, "sessions", false},
    {&Gauges::runs, "runs", true},
    {&Gauges::callables, "callables", false},
    {&Gauges::partial_runs, "partial runs", false},
    {&Gauges::registered, "registered sessions", false},
    {&Gauges::plans, "plans", false},
    {&Gauges::registrations, "registrations", true},
    {&Gauges::steps_here, "parts of steps", true},
    {&Gauges::finds, "searches for tasks", true},
};

/// Of tasks that live: what a dead one held is gone.
std::vector<std::string> held(const ClusterParts& cluster, bool with_sessions) {
  std::vector<std::string> texts;
  for (const auto& [task, life] : cluster.lives)
    for (const auto& [gauge, name, of_calls] : gauges) {
      auto count = (life->gauges.get()->*gauge).load();
      if (count == 0 || life->is_over() || (with_sessions && !of_calls)) continue;
      texts.push_back(task + " holds " + name + ": " + std::to_string(count));
    }
  return texts;
}

std::vector<std::string> memory_held(const ClusterParts& cluster) {
  std::vector<std::string> texts;
  for (const auto& [task, life] : cluster.lives)
    if (auto bytes = life->device->memory_in_use(); bytes > 0 && !life->is_over())
      texts.push_back(task + " has " + std::to_string(bytes) + " bytes of memory in use");
  return texts;
}

}  // namespace

std::vector<std::string> Cluster::leaks() { return leaks(/*with_sessions=*/false); }

std::vector<std::string> Cluster::leaks_of_calls() { return leaks(/*with_sessions=*/true); }

std::vector<std::string> Cluster::leaks(bool with_sessions) {
  run_until([&] { return held(*parts_, with_sessions).empty(); }, quiet_patience);
  return held(*parts_, with_sessions);
}

std::vector<std::string> Cluster::memory_leaks(const std::vector<std::string>& containers) {
  auto any = parts_->lives.begin()->first;
  auto limit = now() + quiet_patience;
  auto status = reset(any, containers, reset_timeout);
  // Some task may not have noticed yet that it lost another.
  while (!status.ok() && now() < limit && !violation()) {
    run_for(reset_timeout);
    status = reset(any, containers, reset_timeout);
  }
  if (!status.ok()) return {"the containers were not reset: " + status.to_string()};
  run_until([this] { return memory_held(*parts_).empty(); }, quiet_patience);
  return memory_held(*parts_);
}

}  // namespace troupe::sim
