#include "troupe/actors/sim/cluster_state.hpp"

namespace troupe::sim {
namespace {

constexpr Time idle_timeout = std::chrono::seconds(10);
constexpr std::chrono::milliseconds reset_timeout{1000};

struct NamedMetric {
  Metrics::Count Metrics::*count;
  const char* name;
  bool of_calls;  // released when a call ends, not only when a session closes
};

constexpr NamedMetric metrics[] = {
    {&Metrics::sessions, "sessions", false},
    {&Metrics::runners, "runners", false},
    {&Metrics::runs, "runs", true},
    {&Metrics::callables, "callables", false},
    {&Metrics::partial_runs, "partial runs", false},
    {&Metrics::device_sessions, "device sessions", false},
    {&Metrics::plans, "plans", false},
    {&Metrics::pending_registrations, "pending registrations", true},
    {&Metrics::device_steps, "partitions of steps", true},
    {&Metrics::pending_finds, "pending searches for tasks", true},
};

/// What live tasks hold.
std::vector<std::string> held(const ClusterState& cluster, bool with_sessions) {
  std::vector<std::string> texts;
  for (const auto& [task, process] : cluster.processes)
    for (const auto& [metric, name, of_calls] : metrics) {
      auto count = (process->metrics.get()->*metric).load();
      if (count == 0 || process->is_dead() || (with_sessions && !of_calls)) continue;
      texts.push_back(task + " holds " + name + ": " + std::to_string(count));
    }
  return texts;
}

std::vector<std::string> memory_held(const ClusterState& cluster) {
  std::vector<std::string> texts;
  for (const auto& [task, process] : cluster.processes)
    if (auto bytes = process->device->memory_in_use(); bytes > 0 && !process->is_dead())
      texts.push_back(task + " has " + std::to_string(bytes) + " bytes of memory in use");
  return texts;
}

}  // namespace

std::vector<std::string> Cluster::leaks() { return leaks(/*with_sessions=*/false); }

std::vector<std::string> Cluster::leaks_of_calls() { return leaks(/*with_sessions=*/true); }

std::vector<std::string> Cluster::leaks(bool with_sessions) {
  run_until([&] { return held(*state_, with_sessions).empty(); }, idle_timeout);
  return held(*state_, with_sessions);
}

std::vector<std::string> Cluster::memory_leaks(const std::vector<std::string>& containers) {
  auto any = state_->processes.begin()->first;
  auto limit = now() + idle_timeout;
  auto status = reset(any, containers, reset_timeout);
  // Fails while a task has not noticed yet that a peer was lost.
  while (!status.ok() && now() < limit && !violation()) {
    run_for(reset_timeout);
    status = reset(any, containers, reset_timeout);
  }
  if (!status.ok()) return {"the containers were not reset: " + status.to_string()};
  run_until([this] { return memory_held(*state_).empty(); }, idle_timeout);
  return memory_held(*state_);
}

}  // namespace troupe::sim
