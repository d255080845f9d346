#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/actors/session/compiled_step.hpp"
#include "troupe/actors/session/session_protocol.hpp"

namespace troupe {

/// Collects the answer to ListWaitingSteps from the devices. Its destructor answers the call, so
/// each pending request to a device shares it.
class WaitingStepsAnswer {
 public:
  /// `runner`: whose session it is; empty: a client's.
  WaitingStepsAnswer(ListWaitingSteps call, std::string runner)
      : call_(std::move(call)), runner_(std::move(runner)) {}
  WaitingStepsAnswer(const WaitingStepsAnswer&) = delete;
  ~WaitingStepsAnswer();

  std::chrono::milliseconds timeout() const { return call_.timeout; }

  /// Adds a step that is being compiled.
  void add(SessionId session, const CompiledStep& step, World::Time now);
  /// Adds a running step; what it waits for is added as the devices answer.
  void add(StepId id, World::Time age);
  void add(StepId id, std::vector<Wait> waits);
  /// Adds that the device did not answer.
  void add_silent(StepId id, const std::string& device, const std::string& task);

 private:
  ListWaitingSteps call_;
  const std::string runner_;
  std::vector<WaitingStep> not_compiled_;
  std::map<uint64_t, WaitingStep> running_;  // by number
};

/// Asks the device of a partition what the step waits for there, and adds the answer.
void ask_device_for_waits(
    const std::shared_ptr<WaitingStepsAnswer>& answer, SessionProtocol::pointer self, StepId id,
    const CompiledStep::DevicePartition& partition);

}  // namespace troupe
