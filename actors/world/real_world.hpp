#pragma once

#include <mutex>
#include <random>
#include <utility>

#include "troupe/actors/world/background_thread.hpp"
#include "troupe/actors/world/node_connections.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// The monotonic clock of this host, by which the nodes of all its processes go: until the host
/// starts again, and within one time namespace. "" where the host does not say.
std::string host_clock();

/// The world of a node in a process of its own: links connect it to other nodes. Thread-safe.
class RealWorld final : public World {
 public:
  RealWorld(caf::actor_system& system, NodeConnections connections)
      : system_(system), connections_(std::move(connections)) {}

  caf::actor_system& system() override { return system_; }
  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done) override {
    connections_.connect(address, timeout, std::move(done));
  }
  void probe(const Address& address, std::chrono::milliseconds timeout, Probed done) override {
    connections_.probe(address, timeout, std::move(done));
  }
  void run_in_background(std::function<void()> work) override { background_.run(std::move(work)); }
  uint64_t random() override;
  std::string clock_name() override { return host_clock(); }

 private:
  caf::actor_system& system_;
  NodeConnections connections_;
  std::mutex mutex_;
  std::random_device random_;
  BackgroundThread background_;
};

/// Scheduler settings for short requests: few threads, which do not poll where there is no work.
struct NodeSystemConfig : caf::actor_system_config {
  NodeSystemConfig();
};

}  // namespace troupe
