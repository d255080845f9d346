#pragma once

#include <optional>

#include "troupe/apps/swarm/random_graph.hpp"

namespace troupe::swarm {

/// A user of the cluster: a session that runs steps of a random graph, opened anew where it was
/// lost.
class Client {
 public:
  Client(
      sim::Cluster& cluster, const World& world, std::string master, const sim::Random& random,
      std::vector<Tensors> expected);

  const std::string& master() const { return master_; }
  const RandomGraph& graph() const { return graph_; }
  /// Of each kind of step.
  const std::vector<Tensors>& expected() const { return expected_; }
  sim::Session& session() { return *session_; }

  /// False where there is no session yet, its master has crashed, or the session was closed.
  bool has_session() const;
  void open();
  Status close();
  /// The session was closed by a reset.
  void lose_session() { session_.reset(); }
  /// The number of the present session, or of the last.
  int session_number() const { return session_number_; }

 private:
  sim::Cluster& cluster_;
  const World& world_;
  std::string master_;
  sim::Random random_;
  std::vector<Tensors> expected_;
  std::optional<sim::Session> session_;
  int session_number_ = 0;
  int life_ = 0;  // of the master
  RandomGraph graph_;
};

}  // namespace troupe::swarm
