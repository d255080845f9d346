#include "troupe/apps/swarm/workload/client.hpp"

namespace troupe::swarm {

Client::Client(
    sim::Cluster& cluster, const ScenarioPlan& plan, std::string master, const sim::Random& random,
    std::vector<Tensors> expected)
    : cluster_(cluster),
      plan_(plan),
      master_(std::move(master)),
      random_(random),
      expected_(std::move(expected)) {}

bool Client::has_session() const {
  return session_ && !session_->is_lost() && cluster_.process_number(master_) == process_number_;
}

void Client::open() {
  process_number_ = cluster_.process_number(master_);
  ++session_number_;
  session_.emplace(cluster_.session(master_));
  graph_ = draw_graph(session_->graph(), plan_, random_, /*pinned=*/true);
  add_queues(graph_, session_->graph(), plan_);
}

Status Client::close() {
  if (!has_session()) return {};
  auto status = session_->close();
  session_.reset();
  return status;
}

}  // namespace troupe::swarm
