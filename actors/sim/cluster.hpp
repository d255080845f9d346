#pragma once

#include <map>
#include <optional>

#include "troupe/actors/sim/fault.hpp"
#include "troupe/actors/sim/invariants.hpp"
#include "troupe/actors/sim/options.hpp"
#include "troupe/actors/sim/session.hpp"
#include "troupe/graph/cluster_view.hpp"

namespace troupe::sim {

class Moment;
struct ClusterParts;

/// A whole cluster in one thread, under a virtual clock: the same actors, kernels and containers as
/// on real machines, over links that can be broken on purpose. One seed gives one history.
///
///     sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
///     auto session = cluster.session("/job:worker/task:0");
///     cluster.at(5ms).crash("/job:worker/task:1");
///     auto step = session.start({}, {total});
///     cluster.run_until(step.done());
///
/// The verbs of faults act at once on the cluster itself, and later on what at() returns. Tasks are
/// named "/job:ps/task:0"; a name that the cluster does not have stops the program, and so does a
/// fault that makes no sense, as the crash of a task that is dead.
///
/// SC-1: a step with a timeout is answered within 100 ms after it, unless its master does not run
///       as usual.
/// SC-2: no thing in a container lives on two tasks at once, unless graphs pin it to both while the
///       directory of the cluster is out of reach.
/// Both are invariants of each cluster, as those of always().
class Cluster final : public FaultVerbs {
 public:
  /// The number of tasks of each job.
  Cluster(const std::map<std::string, int>& jobs, Seed seed) : Cluster(jobs, seed, Options()) {}
  Cluster(const std::map<std::string, int>& jobs, Seed seed, const Options& options);
  ~Cluster();
  Cluster(const Cluster&) = delete;

  const ClusterSpec& spec() const;
  /// Its calls fail with Unavailable where the master is dead, or frozen for long.
  Session session(const std::string& master);
  /// Through a task, as a client asks it: see the messages of those names.
  Status reset(
      const std::string& task, const std::vector<std::string>& containers,
      std::chrono::milliseconds timeout);
  /// Has a new task join through another, as the next one of a job, and gives its name.
  Result<std::string> join(const std::string& job, const std::string& through);
  /// Has a task that has joined leave, and ends it.
  Status leave(const std::string& task);
  Result<DeviceList> list_devices(const std::string& task, std::chrono::milliseconds timeout);
  Result<ResourceList> list_resources(const std::string& task, std::chrono::milliseconds timeout);

  Time now() const;
  /// Lets the cluster run. False if the condition is not met before that much of its time has
  /// passed, or nothing is left to happen, or an invariant is violated: then nothing runs any more.
  bool run_until(const std::function<bool()>& condition, Time limit = std::chrono::minutes(1));
  void run_for(Time duration);

  /// For verbs, of what shall happen at that time after the start, or at once if that is over.
  Moment at(Time time);
  /// Has each happen at its time.
  void script(const std::vector<Fault>& faults);
  void network(const NetworkOptions& options);
  /// Ends all that is broken: restarts, thaws, heals, and gives back time and memory.
  void mend();
  /// Those that have happened, each with the time when it did.
  const std::vector<Fault>& faults() const;
  /// How often the task was started; 0 where it is dead.
  int life(const std::string& task) const;
  /// False where it is dead or frozen.
  bool is_running(const std::string& task) const;

  /// Has a check made after each event. The first violation ends the cluster's run.
  void always(const std::string& name, Invariants::Check check);
  /// A violation that no check can see.
  void violate(const std::string& name, const std::string& text);
  const std::optional<Violation>& violation() const;

  /// What the tasks hold although all sessions are closed, in words: "/job:ps/task:0 holds
  /// plans: 2". Lets the cluster run until it holds nothing, for at most ten seconds of its time.
  std::vector<std::string> leaks();
  /// The same while sessions are open and none of them runs anything: what calls left behind.
  std::vector<std::string> leaks_of_calls();
  /// Resets those containers, of which the cluster must have no others, and says what memory the
  /// devices do not get back although all sessions and all fetched values are gone.
  std::vector<std::string> memory_leaks(const std::vector<std::string>& containers);

  /// Of all messages that were delivered, when, and between whom.
  uint64_t trace_hash() const;
  uint64_t messages_delivered() const;
  /// The latest messages, but for heartbeats, and the faults among them as a diagram in text: a
  /// column for each task, a line for each message.
  std::string diagram(size_t messages_max = 40) const;

 private:
  void happen(Fault fault) override;
  std::vector<std::string> leaks(bool with_sessions);

  std::unique_ptr<ClusterParts> parts_;
};

/// What shall happen in a cluster at some time. A fault that makes no sense then is skipped.
class Moment final : public FaultVerbs {
 public:
  void call(std::function<void()> what);
  void network(const NetworkOptions& options);

 private:
  friend class Cluster;
  Moment(ClusterParts& cluster, Time time) : cluster_(cluster), time_(time) {}
  void happen(Fault fault) override;

  ClusterParts& cluster_;
  Time time_;
};

}  // namespace troupe::sim
