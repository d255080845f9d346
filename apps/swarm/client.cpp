#include "troupe/apps/swarm/client.hpp"

namespace troupe::swarm {

Client::Client(
    sim::Cluster& cluster, const World& world, std::string master, const sim::Random& random,
    std::vector<Tensors> expected)
    : cluster_(cluster),
      world_(world),
      master_(std::move(master)),
      random_(random),
      expected_(std::move(expected)) {}

bool Client::has_session() const { return session_ && cluster_.life(master_) == life_; }

void Client::open() {
  life_ = cluster_.life(master_);
  ++session_number_;
  session_.emplace(cluster_.session(master_));
  graph_ = draw_graph(session_->graph(), world_, random_, /*pinned=*/true);
}

Status Client::close() {
  if (!has_session()) return {};
  auto status = session_->close();
  session_.reset();
  return status;
}

}  // namespace troupe::swarm
