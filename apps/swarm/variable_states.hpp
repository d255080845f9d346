#pragma once

#include <set>
#include <string>
#include <vector>

#include "troupe/apps/swarm/counter_model.hpp"
#include "troupe/apps/swarm/world.hpp"

namespace troupe::swarm {

/// What a client can know of the shared variables of a cluster: which have a value, and what the
/// counters have counted. All are without a value at first.
class VariableStates {
 public:
  VariableStates(const sim::Cluster& cluster, const World& world)
      : cluster_(cluster), world_(world), states_(world.variables.size()) {}

  /// Notices which variables went with their tasks. To be called whenever the cluster has run.
  void look();
  /// A reset of that container was begun, and has ended; `done`: it was reset everywhere.
  void reset(const std::string& container, bool done);

  /// A step found some variable without a value: any that may have lost its own counts as unset.
  void doubt();

  bool is_set(size_t variable) const { return states_[variable].is_set; }
  bool all_are_set() const;
  /// Whether one must be assigned its first value, and can be.
  bool wants_initialization(size_t variable) const;
  void begin_initialization(size_t variable);
  void end_initialization(size_t variable, bool done);

  CounterModel& counter(size_t variable) { return states_[variable].counter; }

 private:
  struct State {
    int life = 0;  // of its task
    bool is_set = false;
    bool is_being_set = false;
    int being_set_in = 0;           // a life; 0 where that of now is in doubt
    bool may_be_set_again = false;  // by an assignment, or a reset, that may still be under way
    CounterModel counter;
  };

  const sim::Cluster& cluster_;
  const World& world_;
  std::vector<State> states_;
};

}  // namespace troupe::swarm
