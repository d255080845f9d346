#pragma once

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/sim/cluster_state.hpp"

namespace troupe::sim {

/// Shared by the copies of a session.
struct Session::State : std::enable_shared_from_this<Session::State> {
  State(ClusterState& cluster, std::shared_ptr<TaskProcess> master, SessionActor actor)
      : cluster(cluster), master(std::move(master)), actor(std::move(actor)) {}

  /// The promise by which the master answers a call. Without a master, the call fails at once.
  std::shared_ptr<OpenCalls::Promise> open(const Call& call);
  void send_graph(const Graph& graph, DoneStatus done);

  ClusterState& cluster;
  const std::shared_ptr<TaskProcess> master;
  const SessionActor actor;  // empty if the master did not answer
  int sent = 0;              // number of nodes that the master has
  size_t sent_functions = 0;
  CallId next_call = 1;
  bool is_closed = false;
};

}  // namespace troupe::sim
