#include <algorithm>

#include "troupe/actors/sim/cluster_state.hpp"

namespace troupe::sim {
namespace {

// Each applies one kind of fault, and returns false where it has no effect: on a dead task, say.

bool crash(ClusterState& cluster, TaskProcess& process) {
  if (process.is_dead()) return false;
  cluster.crash(process);
  return true;
}

bool restart(ClusterState& cluster, const TaskProcess& process) {
  if (!process.is_dead() || process.has_ended) return false;
  cluster.start(process.task);
  return true;
}

bool set_frozen(ClusterState& cluster, TaskProcess& process, bool frozen) {
  if (process.is_dead() || process.is_frozen == frozen) return false;
  process.is_frozen = frozen;
  process.impaired_until = cluster.simulation.now();
  if (frozen) cluster.simulation.freeze(process.node);
  else cluster.simulation.thaw(process.node);
  return true;
}

bool set_cut(ClusterState& cluster, const ClusterState::TaskPair& pair, bool cut) {
  if (pair.first == pair.second) return false;
  auto changed = cut ? cluster.cut_pairs.insert(pair).second : cluster.cut_pairs.erase(pair) > 0;
  if (!changed) return false;
  // Nodes of earlier processes, too: the notice of their crash crosses the same channels.
  for (auto from : cluster.nodes_of[pair.first])
    for (auto to : cluster.nodes_of[pair.second])
      if (cut) cluster.simulation.cut(from, to);
      else cluster.simulation.heal(from, to);
  return true;
}

bool set_cut(ClusterState& cluster, const Fault& fault, bool cut) {
  bool changed = false;
  for (const auto& from : fault.tasks)
    for (const auto& to : fault.others) changed |= set_cut(cluster, {from, to}, cut);
  return changed;
}

bool break_link(ClusterState& cluster, const TaskProcess& one, const TaskProcess& other) {
  if (one.is_dead() || other.is_dead() || one.node == other.node) return false;
  cluster.simulation.break_link(one.node, other.node);
  return true;
}

bool slow(ClusterState& cluster, TaskProcess& process, double factor) {
  if (process.is_dead() || factor < 1 || process.slowness == factor) return false;
  process.slowness = factor;
  process.impaired_until = cluster.simulation.now();
  cluster.simulation.slow(process.node, factor);
  return true;
}

bool skew(ClusterState& cluster, TaskProcess& process, double rate) {
  if (process.is_dead() || rate <= 0 || process.clock_rate == rate) return false;
  process.clock_rate = rate;
  process.least_clock_rate = std::min(process.least_clock_rate, rate);
  cluster.simulation.skew(process.node, rate);
  return true;
}

bool limit_memory(const ClusterState& cluster, TaskProcess& process, double number) {
  auto bytes = number > 0 ? static_cast<uint64_t>(number) : cluster.options.memory_limit;
  if (process.is_dead() || process.memory_limit == bytes) return false;
  process.memory_limit = bytes;
  process.device->limit_memory(bytes);
  return true;
}

bool take_effect(ClusterState& cluster, const Fault& fault) {
  auto& process = *cluster.process_of(fault.tasks.names.at(0));
  switch (fault.kind) {
    case Fault::Kind::crash: return crash(cluster, process);
    case Fault::Kind::restart: return restart(cluster, process);
    case Fault::Kind::freeze: return set_frozen(cluster, process, true);
    case Fault::Kind::thaw: return set_frozen(cluster, process, false);
    case Fault::Kind::cut: return set_cut(cluster, fault, true);
    case Fault::Kind::heal: return set_cut(cluster, fault, false);
    case Fault::Kind::break_link:
      return break_link(cluster, process, *cluster.process_of(fault.others.names.at(0)));
    case Fault::Kind::slow: return slow(cluster, process, fault.number);
    case Fault::Kind::skew: return skew(cluster, process, fault.number);
    case Fault::Kind::limit_memory: return limit_memory(cluster, process, fault.number);
  }
  return false;
}

}  // namespace

bool ClusterState::apply(const Fault& fault) {
  if (!take_effect(*this, fault)) return false;
  faults.push_back(fault);
  faults.back().time = simulation.now();
  return true;
}

}  // namespace troupe::sim
