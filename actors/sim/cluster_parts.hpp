#pragma once

#include <set>

#include "troupe/actors/gauges.hpp"
#include "troupe/actors/sim/cluster.hpp"
#include "troupe/actors/sim/open_calls.hpp"
#include "troupe/actors/task_actor.hpp"
#include "troupe/actors/world/simulation.hpp"
#include "troupe/devices/simulated/simulated_device.hpp"

namespace troupe::sim {

/// One life of a task, from its start to its crash.
struct Life {
  std::string task;
  int number = 1;  // among the lives of the task
  Simulation::Node node = -1;
  TaskActor actor;  // empty once it is over
  std::shared_ptr<SimulatedDevice> device;
  std::shared_ptr<Gauges> gauges = std::make_shared<Gauges>();
  std::shared_ptr<Inventory> inventory;
  OpenCalls calls;
  bool is_frozen = false;
  double slowness = 1;
  uint64_t memory_limit = 0;  // bytes
  double clock_rate = 1;
  double least_clock_rate = 1;  // so far
  Time hampered_until{0};       // when it was last frozen or slow; not known while it is

  bool is_over() const { return !actor; }
  bool is_hampered() const { return is_frozen || slowness != 1; }
  Status lost() const {
    return unavailable("lost " + task + ": the connection to it broke").at({.task = task});
  }
};

struct SystemConfig : caf::actor_system_config {
  SystemConfig();
};

/// What the cluster and its sessions share. The order of members is the order of life: actors end
/// before the simulation and the devices do.
struct ClusterParts {
  using Way = std::pair<std::string, std::string>;  // from a task to another

  ClusterParts(const std::map<std::string, int>& jobs, Seed seed, const Options& options);
  ~ClusterParts();

  void begin(std::string task);
  void end(Life& life);
  /// The present life of a task, or its last.
  const std::shared_ptr<Life>& life_of(const std::string& task) const;
  /// Does what the fault says, now; false where that makes no sense.
  bool apply(const Fault& fault);
  /// How a task answers the call that `make` makes around a callback.
  template <class Make>
  Status ask(const std::string& task, Make make) {
    Call call;
    auto& life = *life_of(task);
    auto answerer = open(life, call);
    if (!call.is_done())
      tell(life.actor, make([answerer](Status status) { answerer->end(std::move(status)); }));
    answerer.reset();
    return await(call);
  }
  /// The same, of a call that has more for an answer.
  template <class Answer, class Make>
  Result<Answer> ask_for(const std::string& task, Make make) {
    auto found = std::make_shared<Answer>();
    auto status = ask(task, [&](DoneStatus ended) {
      return make([ended = std::move(ended), found](Result<Answer> answer) {
        if (answer) *found = *std::move(answer);
        ended(answer.status());
      });
    });
    if (!status.ok()) return status;
    return std::move(*found);
  }
  /// How the call ended, once the cluster has run until then.
  Status await(const Call& call);
  /// Lets the simulation run: false if an invariant is violated, or the condition not met.
  bool run(const std::function<bool()>& condition, Time limit);
  /// The near end of a call to a task; where the task is dead, the call has failed already.
  std::shared_ptr<OpenCalls::Answerer> open(Life& task, const Call& call);
  /// Throws what it is that lives on two tasks (SC-2).
  void check_homes();
  /// The call is to be answered by then, on the clock of its master (SC-1).
  void expect_answer(
      const std::shared_ptr<Life>& master, const std::shared_ptr<OpenCalls::Answerer>& call,
      Time start, Time timeout);

  /// Where no task has been.
  Address next_address();

  const ClusterSpec configured;
  ClusterSpec spec;                      // with those that have joined
  std::map<std::string, Joined> joined;  // what the tasks were told that have joined
  int addresses_given = 0;               // to them
  Options options;
  std::vector<std::shared_ptr<SimulatedDevice>> devices;  // of all lives: late kernels may use one
  SystemConfig config;
  caf::actor_system system{config};
  Simulation simulation;
  std::map<std::string, std::shared_ptr<Life>> lives;  // the present or last one of each task
  std::map<std::string, std::vector<Simulation::Node>> nodes_of;  // one for each life of a task
  std::vector<std::string> task_of_node;
  std::set<Way> cut_ways;
  Invariants invariants;
  std::vector<Fault> faults;         // that have happened
  bool things_have_changed = false;  // since it was looked where they live
};

}  // namespace troupe::sim
