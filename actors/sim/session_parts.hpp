#pragma once

#include "troupe/actors/calls.hpp"
#include "troupe/actors/sim/cluster_parts.hpp"

namespace troupe::sim {

/// What the copies of a session share.
struct Session::Parts : std::enable_shared_from_this<Session::Parts> {
  Parts(ClusterParts& cluster, std::shared_ptr<Life> master, SessionActor actor)
      : cluster(cluster), master(std::move(master)), actor(std::move(actor)) {}

  /// The master's end of a call; where there is no master, the call has failed already.
  std::shared_ptr<OpenCalls::Answerer> open(const Call& call);
  void send_graph(const Graph& graph, DoneStatus done);

  ClusterParts& cluster;
  const std::shared_ptr<Life> master;
  const SessionActor actor;  // empty where the master did not answer
  int sent = 0;              // nodes of the graph
  CallId next_call = 1;
  bool is_closed = false;
};

}  // namespace troupe::sim
