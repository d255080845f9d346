#include <algorithm>

#include "troupe/actors/sim/cluster_parts.hpp"

namespace troupe::sim {
namespace {

// Each is false where it makes no sense.

bool crash(ClusterParts& cluster, Life& life) {
  if (life.is_over()) return false;
  cluster.end(life);
  return true;
}

bool restart(ClusterParts& cluster, const Life& life) {
  if (!life.is_over()) return false;
  cluster.begin(life.task);
  return true;
}

bool set_frozen(ClusterParts& cluster, Life& life, bool frozen) {
  if (life.is_over() || life.is_frozen == frozen) return false;
  life.is_frozen = frozen;
  life.hampered_until = cluster.simulation.now();
  if (frozen) cluster.simulation.freeze(life.node);
  else cluster.simulation.thaw(life.node);
  return true;
}

bool set_cut(ClusterParts& cluster, const ClusterParts::Way& way, bool cut) {
  if (way.first == way.second) return false;
  auto changed = cut ? cluster.cut_ways.insert(way).second : cluster.cut_ways.erase(way) > 0;
  if (!changed) return false;
  // Of earlier lives, too: that one has ended is told over the same way.
  for (auto from : cluster.nodes_of[way.first])
    for (auto to : cluster.nodes_of[way.second])
      if (cut) cluster.simulation.cut(from, to);
      else cluster.simulation.heal(from, to);
  return true;
}

bool set_cut(ClusterParts& cluster, const Fault& fault, bool cut) {
  bool changed = false;
  for (const auto& from : fault.tasks)
    for (const auto& to : fault.others) changed |= set_cut(cluster, {from, to}, cut);
  return changed;
}

bool break_link(ClusterParts& cluster, const Life& one, const Life& other) {
  if (one.is_over() || other.is_over() || one.node == other.node) return false;
  cluster.simulation.break_link(one.node, other.node);
  return true;
}

bool slow(ClusterParts& cluster, Life& life, double factor) {
  if (life.is_over() || factor < 1 || life.slowness == factor) return false;
  life.slowness = factor;
  life.hampered_until = cluster.simulation.now();
  cluster.simulation.slow(life.node, factor);
  return true;
}

bool skew(ClusterParts& cluster, Life& life, double rate) {
  if (life.is_over() || rate <= 0 || life.clock_rate == rate) return false;
  life.clock_rate = rate;
  life.least_clock_rate = std::min(life.least_clock_rate, rate);
  cluster.simulation.skew(life.node, rate);
  return true;
}

bool limit_memory(const ClusterParts& cluster, Life& life, double number) {
  auto bytes = number > 0 ? static_cast<uint64_t>(number) : cluster.options.memory_limit;
  if (life.is_over() || life.memory_limit == bytes) return false;
  life.memory_limit = bytes;
  life.device->limit_memory(bytes);
  return true;
}

bool take_effect(ClusterParts& cluster, const Fault& fault) {
  auto& life = *cluster.life_of(fault.tasks.names.at(0));
  switch (fault.kind) {
    case Fault::Kind::crash: return crash(cluster, life);
    case Fault::Kind::restart: return restart(cluster, life);
    case Fault::Kind::freeze: return set_frozen(cluster, life, true);
    case Fault::Kind::thaw: return set_frozen(cluster, life, false);
    case Fault::Kind::cut: return set_cut(cluster, fault, true);
    case Fault::Kind::heal: return set_cut(cluster, fault, false);
    case Fault::Kind::break_link:
      return break_link(cluster, life, *cluster.life_of(fault.others.names.at(0)));
    case Fault::Kind::slow: return slow(cluster, life, fault.number);
    case Fault::Kind::skew: return skew(cluster, life, fault.number);
    case Fault::Kind::limit_memory: return limit_memory(cluster, life, fault.number);
  }
  return false;
}

}  // namespace

bool ClusterParts::apply(const Fault& fault) {
  if (!take_effect(*this, fault)) return false;
  faults.push_back(fault);
  faults.back().time = simulation.now();
  return true;
}

}  // namespace troupe::sim
