#pragma once

#include <optional>

#include "troupe/apps/swarm/workload/random_graph.hpp"

namespace troupe::swarm {

/// A client of the cluster: a session that runs steps of a random graph, and is reopened after it
/// was lost.
class Client {
 public:
  Client(
      sim::Cluster& cluster, const ScenarioPlan& plan, std::string master,
      const sim::Random& random, std::vector<Tensors> expected);

  const std::string& master() const { return master_; }
  const RandomGraph& graph() const { return graph_; }
  /// The results of each kind of step.
  const std::vector<Tensors>& expected() const { return expected_; }
  sim::Session& session() { return *session_; }

  /// False before open(), after the master has crashed, and after the session was closed.
  bool has_session() const;
  void open();
  Status close();
  /// Drops the session: a reset has closed it.
  void lose_session() { session_.reset(); }
  /// Counts the sessions: the number of the present one, or of the last.
  int session_number() const { return session_number_; }

 private:
  sim::Cluster& cluster_;
  const ScenarioPlan& plan_;
  std::string master_;
  sim::Random random_;
  std::vector<Tensors> expected_;
  std::optional<sim::Session> session_;
  int session_number_ = 0;
  int process_number_ = 0;  // of the master
  RandomGraph graph_;
};

}  // namespace troupe::swarm
