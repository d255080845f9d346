#pragma once

#include <memory>
#include <mutex>
#include <random>

#include "troupe/actors/world/endpoint.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// The world of a node among other processes: links are connections of CAF's middleman. A peer is
/// found in two steps: its advertised address tells who it is and where its actors are
/// (`Endpoints`), then the middleman connects there. Thread-safe.
class RealWorld final : public World {
 public:
  RealWorld(caf::actor_system& system, Endpoints endpoints)
      : system_(system), endpoints_(std::move(endpoints)) {}

  caf::actor_system& system() override { return system_; }
  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done) override;
  void probe(const Address& address, std::chrono::milliseconds timeout, Probed done) override {
    endpoints_.probe(address, timeout, std::move(done));
  }
  uint64_t random() override;

  /// What the actors of a node need to be reached: opens a port for other nodes' middlemen and
  /// returns it. Blocks; for start-up only.
  Result<uint16_t> publish(const caf::strong_actor_ptr& task, const std::string& host);

 private:
  caf::actor_system& system_;
  Endpoints endpoints_;
  std::mutex mutex_;
  std::random_device random_;
};

/// Settings of an actor system that CAF's defaults get wrong for us: a remote request takes 43 us
/// with them and 252 us without.
struct NodeSystemConfig : caf::actor_system_config {
  NodeSystemConfig();
};

}  // namespace troupe
