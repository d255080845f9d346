#pragma once

#include <map>
#include <memory>
#include <vector>

#include "troupe/actors/compiled_step.hpp"
#include "troupe/actors/session_mailbox.hpp"

namespace troupe {

/// The answer to Explain while it is gathered from the devices. It is given when the last who could
/// add to it lets go of it.
class Explanation {
 public:
  explicit Explanation(Explain call) : call_(std::move(call)) {}
  Explanation(const Explanation&) = delete;
  ~Explanation();

  std::chrono::milliseconds timeout() const { return call_.timeout; }

  /// A step that waits to be compiled.
  void add(SessionId session, const CompiledStep& step, World::Time now);
  /// A step that runs; what its parts wait for is added as the devices tell it.
  void add(StepId id, World::Time age);
  void add(StepId id, std::vector<Wait> waits);
  /// A device that does not tell.
  void add_silent(StepId id, const std::string& device, const std::string& task);

 private:
  Explain call_;
  std::vector<WaitingStep> not_compiled_;
  std::map<uint64_t, WaitingStep> running_;  // by number
};

/// Asks the device of a part what the step waits for there.
void ask(
    const std::shared_ptr<Explanation>& explanation, SessionMailbox::pointer self, StepId id,
    const CompiledStep::Part& part);

}  // namespace troupe
