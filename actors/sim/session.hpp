#pragma once

#include "troupe/actors/sim/call.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::sim {

struct SessionState;

/// A session whose master is a task of a simulated cluster. Must not be used after the cluster
/// ends. Methods that return a Call start it at once, and the cluster answers it while it runs; the
/// others run the cluster until they have their result.
///
/// If the master crashes, pending and later calls fail with Unavailable that names the master, as
/// for a client whose connection closes. So do the call that waits and all later ones when it is
/// frozen for the heartbeat limit, as for a client that misses its heartbeats. After close(), calls
/// fail with FailedPrecondition; after a reset of a container that the session has used, Aborted.
class Session {
 public:
  /// The graph of the session. New nodes are sent to the master with the next call.
  const Builder& graph() const { return graph_; }
  /// The name of the task that is its master.
  const std::string& master() const;

  /// Starts a step.
  Call start(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {});
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {});
  /// How a step would run, see Session::explain() of graph/session.hpp.
  Result<StepExplanation> explain(const Refs& feeds, const Refs& fetches, const Refs& targets = {});
  /// Leaves a runner on the cluster, see Session::start_runner() of graph/session.hpp.
  Status start_runner(const std::string& name, const RunnerSpec& spec);
  /// Cancels a step; no effect if it has ended.
  void cancel(const Call& step);

  /// Makes a callable or a partial run, which the returned call stands for; it exists until it is
  /// released.
  Call make_callable(const Refs& feeds, const Refs& fetches);
  Call set_up_partial_run(const Refs& feeds, const Refs& fetches, const RunOptions& options = {});
  /// Starts a step of a callable, or continues a partial run.
  Call call(const Call& callable, const Tensors& feeds, const RunOptions& options = {});
  Call run_partially(const Call& partial_run, const std::vector<Feed>& feeds, const Refs& fetches);
  void release(const Call& made);

  /// Sends the new nodes of the graph without starting a step.
  Status extend();
  /// The same for a graph of the caller's. The session's own graph must then stay empty.
  Status extend(const Graph& graph);
  Status close();
  /// Whether it was closed: by close(), or by its master, for a reset.
  bool is_closed() const;
  /// Whether the client has lost the master, which missed its heartbeats: all later calls fail.
  bool is_lost() const;

 private:
  friend class Cluster;
  explicit Session(std::shared_ptr<SessionState> state);

  template <class Making>
  Call make(const Refs& feeds, const Refs& fetches, const RunOptions& options);

  Builder graph_;
  std::shared_ptr<SessionState> state_;
};

}  // namespace troupe::sim
