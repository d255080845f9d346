#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace troupe::train {

/// What a training takes from the program that it runs in: time, patience, and a place for messages
/// to people. A simulated cluster has one that lets the cluster run while it waits.
class Host {
 public:
  using Time = std::chrono::nanoseconds;  // since some moment of the past

  virtual ~Host() = default;

  virtual Time now() = 0;
  /// Returns when that time is over; false, perhaps earlier, when whoever waits is to give up.
  virtual bool wait(Time time) = 0;
  virtual void log(const std::string& message) = 0;
};

/// The machine's clock; waits keep the caller's thread.
class MachineHost final : public Host {
 public:
  using Log = std::function<void(const std::string&)>;

  /// Without a log, messages are dropped.
  explicit MachineHost(Log log = {}) : log_(std::move(log)) {}

  Time now() override;
  bool wait(Time time) override;
  void log(const std::string& message) override;

 private:
  Log log_;
};

}  // namespace troupe::train
