#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// A variable that all sessions share.
struct SharedVariable {
  std::string name;
  std::string container;
  std::string task;  // where it is placed
  Tensor initial;
  bool is_counter = false;  // incremented by steps; others are only read
};

/// A queue that all sessions share.
struct SharedQueue {
  enum class Kind : uint8_t { fifo, padding_fifo, random_shuffle, priority };

  Kind kind = Kind::fifo;
  std::string name;
  std::string container;
  std::string task;    // where it is placed
  std::string reader;  // the task where what was dequeued is used
  int64_t capacity = 1;
  int64_t min_after_dequeue = 0;

  bool is_fifo() const { return kind == Kind::fifo || kind == Kind::padding_fifo; }
};

/// A runner that clients leave, which moves what is in a queue to another on the same task.
struct SharedRunner {
  std::string name;
  std::string container;
  SharedQueue from, to;
  int64_t steps_at_once = 1;
};

/// An accumulator of gradients that all sessions share.
struct SharedAccumulator {
  std::string name;
  std::string container;
  std::string task;    // where it is placed
  std::string worker;  // the task that computes gradients
  bool is_mean = false;
  bool is_sparse = false;
};

/// What a seed determines in advance: the cluster, the shared resources, and the faults.
struct ScenarioPlan {
  std::map<std::string, int> jobs;
  sim::Options options;
  std::vector<sim::Fault> faults;
  sim::Time faults_end{0};  // all faults have ended by then
  std::vector<SharedVariable> variables;
  std::vector<std::string> masters;  // of the sessions
  // Of some seeds none: these have the history that they had before there were any.
  std::vector<SharedQueue> queues;
  std::vector<SharedAccumulator> accumulators;
  std::optional<SharedRunner> runner;  // of half of the seeds that have queues

  /// Whether anything but clock skew may disturb the cluster.
  bool has_faults() const;

  /// The containers that the plan of any seed uses.
  static const std::vector<std::string>& containers();
};

/// Draws the plan of a seed; the same seed gives the same plan.
ScenarioPlan draw_plan(sim::Seed seed, const sim::Catalogs& catalogs);

}  // namespace troupe::swarm
