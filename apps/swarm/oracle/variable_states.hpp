#pragma once

#include <set>
#include <string>
#include <vector>

#include "troupe/apps/swarm/oracle/counter_model.hpp"
#include "troupe/apps/swarm/scenario_plan.hpp"

namespace troupe::swarm {

/// What clients can infer of the shared variables of a cluster: which have a value, and the bounds
/// of the counters. No variable has a value at first.
class VariableStates {
 public:
  VariableStates(const sim::Cluster& cluster, const ScenarioPlan& plan)
      : cluster_(cluster), plan_(plan), states_(plan.variables.size()) {}

  /// Marks the variables of restarted or dead tasks as unset. Must be called whenever the cluster
  /// has run.
  void update();
  /// A reset of the container has ended; `done`: on all tasks.
  void reset(const std::string& container, bool done);

  /// A step found a variable without a value: marks all as unset that may have lost theirs.
  void mark_doubtful_unset();

  bool is_set(size_t variable) const { return states_[variable].is_set; }
  bool all_are_set() const;
  /// True if the variable has no value, its task runs, and no initialization is pending.
  bool wants_initialization(size_t variable) const;
  void begin_initialization(size_t variable);
  void end_initialization(size_t variable, bool done);

  CounterModel& counter(size_t variable) { return states_[variable].counter; }

 private:
  struct State {
    int process_number = 0;  // of its task; see sim::Cluster
    bool is_set = false;
    bool is_being_set = false;
    int being_set_in = 0;           // the process number at the start; 0 after a reset
    bool may_be_set_again = false;  // by an assignment or a reset that may still be pending
    CounterModel counter;
  };

  const sim::Cluster& cluster_;
  const ScenarioPlan& plan_;
  std::vector<State> states_;
};

}  // namespace troupe::swarm
