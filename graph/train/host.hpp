#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace troupe::train {

/// The environment of a training loop: a clock, waiting and a log. On a simulated cluster, wait()
/// runs the simulation.
class Host {
 public:
  using Time = std::chrono::nanoseconds;  // since some moment of the past

  virtual ~Host() = default;

  virtual Time now() = 0;
  /// Waits for `time`. Returns false, perhaps earlier, if the caller should give up.
  virtual bool wait(Time time) = 0;
  virtual void log(const std::string& message) = 0;
  /// Of what people should see who do not read the log.
  virtual void warn(const std::string& message) { log(message); }
};

/// The machine's steady clock; wait() blocks the calling thread.
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
