#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <random>

#include "troupe/actors/world/background_thread.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// A world whose nodes share one actor system: handles lead directly to the actors. Thread-safe.
class LocalWorld final : public World {
 public:
  explicit LocalWorld(caf::actor_system& system) : system_(system) {}

  /// Registers the task actor that connect() finds at an address, and the incarnation that probe()
  /// answers.
  void serve(const Address& address, caf::strong_actor_ptr task, uint64_t incarnation = 0);

  caf::actor_system& system() override { return system_; }
  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done) override;
  void probe(const Address& address, std::chrono::milliseconds timeout, Probed done) override;
  void run_in_background(std::function<void()> work) override { background_.run(std::move(work)); }
  uint64_t random() override;
  std::string clock_name() override { return "local"; }

 private:
  caf::actor_system& system_;
  std::mutex mutex_;
  std::map<Address, std::pair<caf::strong_actor_ptr, uint64_t>> tasks_;  // and incarnations
  std::random_device random_;
  BackgroundThread background_;
};

}  // namespace troupe
