#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/train/host.hpp"

namespace troupe::sim {

/// A session with that task as master, as programs have it that know nothing of simulation. It is
/// closed with its owner.
std::unique_ptr<BasicSession> open_session(Cluster& cluster, const std::string& master);

/// A program that trains on a simulated cluster: its time is the cluster's, which runs while the
/// program waits.
class TrainingHost final : public train::Host {
 public:
  using Log = std::function<void(const std::string&)>;

  explicit TrainingHost(Cluster& cluster, Log log = {}) : cluster_(cluster), log_(std::move(log)) {}

  Time now() override { return cluster_.now(); }
  /// False once an invariant is violated, as nothing runs any more.
  bool wait(Time time) override;
  void log(const std::string& message) override;

 private:
  Cluster& cluster_;
  Log log_;
};

}  // namespace troupe::sim
