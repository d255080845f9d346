#pragma once

#include <memory>
#include <string>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/train/task.hpp"

namespace troupe::sim {

struct ProgramRun;

/// Thrown by a blocking call of a program whose task has crashed, or whose cluster ends: it unwinds
/// the program, whose destructors run. It is no std::exception, so that a program's own handlers
/// let it pass; where one does not, the next blocking call throws it again. While the program
/// unwinds, and in close(), blocking calls return an error at once instead.
struct Killed {};

/// A program that runs as a task of a simulated cluster: what a role function gets. Its sessions
/// block, its waits take the cluster's time, and it ends with the process of its task. All programs
/// of a cluster and its simulator take turns, each on a thread of its own but only one at a time,
/// in an order that follows from the seed.
///
/// All blocking calls of the cluster may be made in it: those of sim::Cluster and sim::Session,
/// too. A crash of the task kills it, see Killed. While the task is frozen it does not go on. It
/// must not block in another way: nothing else would run.
class Program final : public train::Task {
 public:
  /// "/job:worker/task:0".
  const std::string& name() const;
  const Role& role() const override;

  /// The time of the cluster.
  Time now() override;
  /// Sleeps. False, perhaps earlier, if the server of the task was stopped.
  bool wait(Time time) override;
  /// Into the log of the cluster, of which a counterexample has the last lines.
  void log(const std::string& message) override;

  /// Opens a session with an empty graph, whose master is this task. Its destructor closes it.
  Result<std::unique_ptr<troupe::Session>> session(const SessionOptions& options = {});
  Result<std::unique_ptr<BasicSession>> open_session() override;
  bool has_server_ended() override;
  /// Stops a task as its client does. Its program goes on, and is told by its waits.
  Status stop_server(const std::string& job, int task) override;

  /// An empty folder of the cluster, the same for all its tasks, removed with it: for checkpoints.
  std::string folder();
  /// Determined by the seed, the task, and which start of it this is.
  Random& random();

 private:
  friend class Programs;
  explicit Program(ProgramRun& run) : run_(run) {}

  ProgramRun& run_;
};

}  // namespace troupe::sim
