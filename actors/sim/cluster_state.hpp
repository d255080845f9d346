#pragma once

#include <deque>
#include <set>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/metrics.hpp"
#include "troupe/actors/sim/cluster.hpp"
#include "troupe/actors/sim/open_calls.hpp"
#include "troupe/actors/sim/program/programs.hpp"
#include "troupe/actors/sim/world/simulation.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/devices/simulated/simulated_accelerator.hpp"
#include "troupe/devices/simulated/simulated_device.hpp"

namespace troupe::sim {

/// One process of a task, from its start to its crash. A restart makes a new one.
struct TaskProcess {
  std::string task;
  int number = 1;  // counts the processes of the task
  Simulation::Node node = -1;
  TaskActor actor;  // empty once it is dead
  std::shared_ptr<SimulatedDevice> device;
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  std::shared_ptr<ResourceIndex> resource_index;
  OpenCalls calls;
  bool is_frozen = false;
  bool has_ended = false;  // in order: it did not crash, and nobody starts it again
  double slowness = 1;
  uint64_t memory_limit = 0;  // bytes
  double clock_rate = 1;
  double least_clock_rate = 1;  // so far
  Time impaired_until{0};       // the last change of is_frozen or slowness

  bool is_dead() const { return !actor; }
  bool is_impaired() const { return is_frozen || slowness != 1; }
  Status lost_status(const std::string& why = "the connection to it broke") const {
    return unavailable("lost " + task + ": " + why).at({.task = task});
  }
};

struct SystemConfig : caf::actor_system_config {
  SystemConfig();
};

/// What a cluster and its sessions share. Members are destroyed in reverse order: processes before
/// the simulation and the actor system, and those before the devices.
struct ClusterState {
  using TaskPair = std::pair<std::string, std::string>;  // from one task to another

  ClusterState(const std::map<std::string, int>& jobs, Seed seed, const Options& options);
  ~ClusterState();

  /// Starts a process of a task.
  void start(std::string task);
  /// Crashes it: its pending calls fail, its actors terminate, and its program is killed.
  void crash(TaskProcess& process);
  /// Ends it in order. Its program may go on: it was told, or has ended itself.
  void end_server(TaskProcess& process);
  /// The present process of a task, or its last one.
  const std::shared_ptr<TaskProcess>& process_of(const std::string& task) const;
  /// Applies a fault now; false if it has no effect.
  bool apply(const Fault& fault);
  /// Sends a task the message that `make` builds around a callback, and runs the cluster until it
  /// is answered.
  template <class Make>
  Status ask(const std::string& task, Make make) {
    Call call;
    auto process = process_of(task);
    auto promise = open(*process, call);
    if (!call.is_done())
      tell(process->actor, make([promise](Status status) { promise->resolve(std::move(status)); }));
    promise.reset();
    return await(call, *process);
  }
  /// The same for a message whose answer has a value.
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
  /// Opens a session, which sets `end` when it is closed; fails as Cluster::session() says.
  Result<SessionActor> open_session(
      const std::shared_ptr<TaskProcess>& master, const SessionOptions& options,
      std::shared_ptr<SessionEnd> end);
  /// Runs the cluster until the call to that process is done, and returns its status. Unavailable,
  /// while the call stays open, if the process has been frozen for the heartbeat limit.
  Status await(const Call& call, const TaskProcess& process);
  /// Runs the simulation, or has a program wait for it; false if an invariant is violated or the
  /// condition is not met.
  bool run(const std::function<bool()>& condition, Time limit);
  /// The same for that time, which also passes where nothing happens.
  bool run_for(Time time, const std::function<bool()>& condition);
  /// The promise by which a task answers a call, to a session that ends so. If the task is dead,
  /// the call fails at once.
  std::shared_ptr<OpenCalls::Promise> open(
      TaskProcess& task, const Call& call,
      std::shared_ptr<const SessionEnd> end = std::make_shared<SessionEnd>());
  /// Throws if a resource is placed on two tasks (SC-2).
  void check_placements();
  /// Schedules a check that the call is answered after `timeout` on the clock of its master (SC-1).
  void expect_answer(
      const std::shared_ptr<TaskProcess>& master, const std::shared_ptr<OpenCalls::Promise>& call,
      Time start, Time timeout);

  /// An address that no task has had.
  Address next_address();
  void log(const std::string& line);

  const Seed seed;
  const ClusterSpec configured_spec;
  ClusterSpec spec;                      // with the tasks that have joined
  std::map<std::string, Joined> joined;  // the answers to Join, by task
  int addresses_given = 0;               // to tasks that join
  Options options;
  /// Of all processes, as late kernels may use the device of a dead one.
  std::vector<std::shared_ptr<SimulatedDevice>> devices;
  std::vector<std::shared_ptr<SimulatedAccelerator>> accelerators;
  SystemConfig config;
  caf::actor_system system{config};
  Simulation simulation;
  /// The present or last process, by task.
  std::map<std::string, std::shared_ptr<TaskProcess>> processes;
  std::map<std::string, std::vector<Simulation::Node>> nodes_of;  // of all its processes, by task
  std::vector<std::string> task_of_node;
  std::set<TaskPair> cut_pairs;
  Invariants invariants;
  std::vector<Fault> faults;          // that took effect
  bool placements_changed = false;    // since the last check_placements()
  std::deque<std::string> log_lines;  // of programs, the last ones
  Programs programs{*this, seed};
};

}  // namespace troupe::sim
