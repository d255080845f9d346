#pragma once

#include "troupe/actors/sim/call.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::sim {

/// A session whose master is a task of a simulated cluster; over once the cluster is. Its calls
/// start at once and are answered while the cluster runs; those that return an answer let it run
/// until then.
///
/// A call whose master crashes ends with Unavailable that names it, as a client sees its connection
/// close; so does each that comes later. After close(), or a reset through the master, calls fail
/// with FailedPrecondition.
class Session {
 public:
  /// The graph of the session; what is added goes to the master with the next call.
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
  /// Ends a step that runs with Cancelled; one that has ended already is left alone.
  void cancel(const Call& step);

  /// Makes a callable, or a partial run; what ends the call is the answer. It is there until it is
  /// released.
  Call make_callable(const Refs& feeds, const Refs& fetches);
  Call set_up_partial_run(const Refs& feeds, const Refs& fetches, const RunOptions& options = {});
  /// Starts a step of a callable, or asks more of a partial run.
  Call call(const Call& callable, const Tensors& feeds, const RunOptions& options = {});
  Call run_partially(const Call& partial_run, const std::vector<Feed>& feeds, const Refs& fetches);
  void release(const Call& made);

  /// Sends what was added to the graph, for no step.
  Status extend();
  /// Sends what was added to a graph of the caller's, in place of the session's own, which must
  /// then stay empty.
  Status extend(const Graph& graph);
  Status close();

 private:
  friend class Cluster;
  struct Parts;
  explicit Session(std::shared_ptr<Parts> parts);

  template <class Making>
  Call make(const Refs& feeds, const Refs& fetches, const RunOptions& options);

  Builder graph_;
  std::shared_ptr<Parts> parts_;
};

}  // namespace troupe::sim
