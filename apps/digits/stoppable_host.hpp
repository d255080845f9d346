#pragma once

#include <atomic>
#include <string>

#include "troupe/graph/train/host.hpp"

namespace troupe::digits {

/// A host whose waits end within 20 ms after stop(), or after the signal handler sets the flag.
/// Logs to the error output. Thread-safe.
class StoppableHost final : public train::Host {
 public:
  explicit StoppableHost(const std::atomic<bool>& interrupted) : interrupted_(interrupted) {}

  Time now() override { return machine_.now(); }
  bool wait(Time time) override;
  void log(const std::string& message) override;

  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_ || interrupted_; }
  bool is_interrupted() const { return interrupted_; }

 private:
  train::MachineHost machine_;
  const std::atomic<bool>& interrupted_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace troupe::digits
