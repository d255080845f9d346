#pragma once

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/sim/cluster_state.hpp"

namespace troupe::sim {

/// Shared by the copies of a session.
struct SessionState : std::enable_shared_from_this<SessionState> {
  SessionState(
      ClusterState& cluster, std::shared_ptr<TaskProcess> master, SessionActor actor,
      std::shared_ptr<const SessionEnd> end)
      : cluster(cluster), master(std::move(master)), actor(std::move(actor)), end(std::move(end)) {}

  /// The promise by which the master answers a call. Without a master, the call fails at once.
  std::shared_ptr<OpenCalls::Promise> open(const Call& call);
  /// Sends what `make` builds around a callback.
  template <class Make>
  Call ask(Make make) {
    Call call;
    auto promise = open(call);
    if (!call.is_done())
      tell(actor, make([promise](Status status) { promise->resolve(std::move(status)); }));
    return call;
  }
  /// The same for a call whose answer is the values of fetches.
  template <class Make>
  Call ask_for_values(Make make) {
    Call call;
    auto promise = open(call);
    if (!call.is_done())
      tell(actor, make([promise](Result<Tensors> values) {
             promise->resolve(values.status(), values ? *std::move(values) : Tensors());
           }));
    return call;
  }
  /// Starts a step with a Run or RunCallable; the state sets its id and callbacks.
  template <class Message>
  Call start(Message step);
  Call explain(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const std::shared_ptr<StepExplanation>& explanation);
  /// Sends what the master does not have of the graph.
  Call extend(const Graph& graph);
  void send_graph(const Graph& graph, DoneStatus done);
  /// Waits for the answer. After a loss of the master that the client notices first, by missed
  /// heartbeats, later calls fail, too, as they do when its connection is closed.
  Status await(const Call& call);
  Result<Tensors> await_values(const Call& call);
  Status close();
  void release(CallId object) {
    if (actor) tell(actor, Release{object});
  }

  ClusterState& cluster;
  const std::shared_ptr<TaskProcess> master;
  const SessionActor actor;  // empty if the master did not answer
  const std::shared_ptr<const SessionEnd> end;
  int sent = 0;  // number of nodes that the master has
  size_t sent_functions = 0;
  CallId next_call = 1;
  bool is_closed = false;
  Status lost;  // ok while the client is connected
};

template <class Message>
Call SessionState::start(Message step) {
  Call call;
  auto promise = open(call);
  if (call.is_done()) return call;
  step.call = call.state_->id = next_call++;
  step.done = [promise](Result<Tensors> values) {
    promise->resolve(values.status(), values ? *std::move(values) : Tensors());
  };
  step.on_metadata = [promise](RunMetadata run) { promise->add(std::move(run)); };
  auto timeout = step.options.timeout;
  tell(actor, std::move(step));
  if (timeout.count() > 0)
    cluster.expect_answer(master, promise, cluster.simulation.now(), timeout);
  return call;
}

}  // namespace troupe::sim
