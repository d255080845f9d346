#pragma once

#include <functional>
#include <string>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/train/host.hpp"

namespace troupe::sim {

/// The host of a training that runs the cluster itself, outside of a sim::Program: its clock is the
/// cluster's, and wait() runs the cluster.
class TrainingHost final : public train::Host {
 public:
  using Log = std::function<void(const std::string&)>;

  explicit TrainingHost(Cluster& cluster, Log log = {}) : cluster_(cluster), log_(std::move(log)) {}

  Time now() override { return cluster_.now(); }
  /// False once an invariant is violated, after which the cluster does not run.
  bool wait(Time time) override;
  void log(const std::string& message) override;

 private:
  Cluster& cluster_;
  Log log_;
};

}  // namespace troupe::sim
