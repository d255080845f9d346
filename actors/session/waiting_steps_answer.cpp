#include "troupe/actors/session/waiting_steps_answer.hpp"

#include <algorithm>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe {
namespace {

std::chrono::milliseconds to_ms(World::Time age) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(age);
}

}  // namespace

WaitingStepsAnswer::~WaitingStepsAnswer() {
  auto steps = std::move(not_compiled_);
  for (auto& [number, step] : running_) steps.push_back(std::move(step));
  for (auto& step : steps) step.runner = runner_;
  call_.done(std::move(steps));
}

void WaitingStepsAnswer::add(SessionId session, const CompiledStep& step, World::Time now) {
  WaitingStep waiting{
      .session = session, .step = 0, .age = to_ms(now - step.requested), .waits = {}};
  for (const auto& awaited : step.awaited) {
    Wait wait{.what = "the answer of " + awaited + ", to be compiled", .age = waiting.age};
    if (auto name = DeviceName::parse(awaited)) wait.peer = task_name(*name->job, *name->task);
    waiting.waits.push_back(std::move(wait));
  }
  not_compiled_.push_back(std::move(waiting));
}

void WaitingStepsAnswer::add(StepId id, World::Time age) {
  running_[id.number] = {.session = id.session, .step = id.number, .age = to_ms(age), .waits = {}};
}

void WaitingStepsAnswer::add(StepId id, std::vector<Wait> waits) {
  std::ranges::move(waits, std::back_inserter(running_.at(id.number).waits));
}

void WaitingStepsAnswer::add_silent(StepId id, const std::string& device, const std::string& task) {
  auto& step = running_.at(id.number);
  step.waits.push_back(
      {.device = device,
       .what = "the device, which does not answer",
       .peer = task,
       .age = step.age});
}

void ask_device_for_waits(
    const std::shared_ptr<WaitingStepsAnswer>& answer, SessionProtocol::pointer self, StepId id,
    const CompiledStep::DevicePartition& partition) {
  self->request(partition.actor, answer->timeout(), ListStepWaits{id})
      .then(
          [answer, id](StepWaits& found) { answer->add(id, std::move(found.waits)); },
          [answer, id, device = partition.device, task = partition.task](const caf::error&) {
            answer->add_silent(id, device, task);
          });
}

}  // namespace troupe
