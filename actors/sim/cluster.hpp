#pragma once

#include <map>
#include <optional>

#include "troupe/actors/sim/fault.hpp"
#include "troupe/actors/sim/invariants.hpp"
#include "troupe/actors/sim/options.hpp"
#include "troupe/actors/sim/program/program_function.hpp"
#include "troupe/actors/sim/session.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/cluster/runner.hpp"
#include "troupe/graph/cluster/session_list.hpp"

namespace troupe::sim {

class Moment;
struct ClusterState;

/// A cluster in one thread, under a virtual clock: the same actors, kernels and containers as on
/// real machines, over a simulated network with fault injection. One seed gives one history.
///
///     sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
///     auto session = cluster.session("/job:worker/task:0");
///     cluster.at(5ms).crash("/job:worker/task:1");
///     auto step = session.start({}, {total});
///     cluster.run_until(step.done());
///
/// Fault verbs called on the cluster take effect at once, those called on at() at that time. Tasks
/// are named "/job:ps/task:0". An unknown name stops the program, and so does a fault that has no
/// effect, such as the crash of a dead task.
///
/// SC-1: a step with a timeout is answered at most 100 ms after it expires, unless its master is
///       dead, frozen or slow.
/// SC-2: no resource of a container is placed on two tasks at once, unless graphs pin it to both
///       while the directory service is unreachable.
/// Every cluster checks both, besides the invariants added with always().
class Cluster final : public FaultVerbs {
 public:
  /// The number of tasks of each job.
  Cluster(const std::map<std::string, int>& jobs, Seed seed) : Cluster(jobs, seed, Options()) {}
  Cluster(const std::map<std::string, int>& jobs, Seed seed, const Options& options);
  ~Cluster();
  Cluster(const Cluster&) = delete;

  const ClusterSpec& spec() const;
  /// Opens a session. If the master is dead, or does not answer within 10 s, its calls fail with
  /// Unavailable.
  Session session(const std::string& master, const SessionOptions& options = {});
  /// The same with the interface of real clusters. Unavailable: the master is dead or does not
  /// answer. The session must be destroyed before the cluster.
  Result<std::unique_ptr<troupe::Session>> open_session(
      const std::string& master, const SessionOptions& options = {});

  /// Has a task run a program: in its present process, and from its begin in each one that is
  /// started after a crash. When the program returns, the process ends in order: then no fault
  /// starts it again.
  void program(const std::string& task, ProgramFunction function);
  /// Has each task run it.
  void programs(const ProgramFunction& function);
  /// Runs the cluster until the programs of all live tasks have ended, or one has returned an
  /// error, for which others may wait. False as run_until() says.
  bool run_programs(Time limit);
  /// The tasks whose programs have not ended.
  std::vector<std::string> running_programs() const;
  /// What the programs that have ended have returned, by task.
  std::map<std::string, Status> program_statuses() const;
  /// The last lines that programs have logged, with the time and the task.
  std::vector<std::string> log() const;

  /// Resets containers through a task, as a client does; see the message Reset.
  Status reset(
      const std::string& task, const std::vector<std::string>& containers,
      std::chrono::milliseconds timeout);
  /// Starts a new task that joins a job through another task. Returns its name.
  Result<std::string> join(const std::string& job, const std::string& through);
  /// Has a task that joined leave the cluster, and stops it.
  Status leave(const std::string& task);
  /// Removes a dead task that had joined, asking another task to, as a client does.
  Status forget(const std::string& task, const std::string& through);
  Result<DeviceList> list_devices(const std::string& task, std::chrono::milliseconds timeout);
  Result<ResourceList> list_resources(const std::string& task, std::chrono::milliseconds timeout);
  Result<RunnerList> list_runners(const std::string& task, std::chrono::milliseconds timeout);
  Result<SessionList> list_sessions(const std::string& task, std::chrono::milliseconds timeout);
  /// Pauses, resumes or stops a runner through a task, as a client does.
  Status control_runner(
      const std::string& task, const ResourceName& runner, RunnerAction action,
      std::chrono::milliseconds timeout = std::chrono::seconds(5));

  Time now() const;
  /// Runs the cluster until the condition is met. False if `limit` passes before, if no event is
  /// left, or if an invariant is violated, after which the cluster does not run any more.
  bool run_until(const std::function<bool()>& condition, Time limit = std::chrono::minutes(1));
  void run_for(Time duration);

  /// For fault verbs that take effect at that time since the start, or at once if it has passed.
  Moment at(Time time);
  /// Has a fault take effect at once, whatever its time; false if it has no effect.
  bool apply(const Fault& fault);
  /// Schedules each fault at its time.
  void script(const std::vector<Fault>& faults);
  void network(const NetworkOptions& options);
  /// Ends all faults: restarts, thaws and heals tasks, and resets their speed, clock and memory.
  void end_all_faults();
  /// The faults that took effect, each with its time.
  const std::vector<Fault>& faults() const;
  /// Which start of the task its present process comes from, counted from 1; 0 if the task is dead.
  int process_number(const std::string& task) const;
  /// False if the task is dead or frozen.
  bool is_running(const std::string& task) const;

  /// Adds an invariant that is checked after each event. The first violation stops the cluster.
  void always(const std::string& name, Invariants::Check check);
  /// Reports a violation that no check can detect.
  void violate(const std::string& name, const std::string& text);
  void violate(const std::string& name, const Status& status);
  const std::optional<Violation>& violation() const;

  /// What live tasks hold although all sessions are closed: "/job:ps/task:0 holds plans: 2".
  /// Runs the cluster until they hold nothing, for at most ten seconds of its time.
  std::vector<std::string> leaks();
  /// The same for resources of calls, while sessions are open but no call runs.
  std::vector<std::string> leaks_of_calls();
  /// Resets the given containers, which must be all that the cluster has, and reports the memory
  /// that devices still have in use. All sessions and fetched values must be gone.
  std::vector<std::string> memory_leaks(const std::vector<std::string>& containers);

  /// Hash of all delivered messages with their times and tasks.
  uint64_t trace_hash() const;
  uint64_t messages_delivered() const;
  /// How often tasks have connected to a silent one only to see whether it lives.
  uint64_t probes_sent() const;
  /// The latest messages except heartbeats, and the faults among them, as a text diagram: a column
  /// for each task, a line for each message.
  std::string diagram(size_t messages_max = 40) const;

 private:
  void inject(Fault fault) override;
  std::vector<std::string> leaks(bool with_sessions);

  std::unique_ptr<ClusterState> state_;
};

/// Schedules faults at a time. A fault that has no effect at that time is skipped.
class Moment final : public FaultVerbs {
 public:
  /// Schedules a call of the test's own.
  void call(std::function<void()> work);
  void network(const NetworkOptions& options);

 private:
  friend class Cluster;
  Moment(ClusterState& cluster, Time time) : cluster_(cluster), time_(time) {}
  void inject(Fault fault) override;

  ClusterState& cluster_;
  Time time_;
};

}  // namespace troupe::sim
