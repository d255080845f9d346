#include "troupe/actors/session/explanation.hpp"

#include <algorithm>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe {
namespace {

std::chrono::milliseconds to_ms(World::Time age) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(age);
}

}  // namespace

Explanation::~Explanation() {
  auto steps = std::move(not_compiled_);
  for (auto& [number, step] : running_) steps.push_back(std::move(step));
  for (auto& step : steps) step.runner = runner_;
  call_.done(std::move(steps));
}

void Explanation::add(SessionId session, const CompiledStep& step, World::Time now) {
  WaitingStep waiting{
      .session = session, .step = 0, .age = to_ms(now - step.requested), .waits = {}};
  for (const auto& awaited : step.awaited) {
    Wait wait{.what = "the answer of " + awaited + ", to be compiled", .age = waiting.age};
    if (auto name = DeviceName::parse(awaited)) wait.peer = task_name(*name->job, *name->task);
    waiting.waits.push_back(std::move(wait));
  }
  not_compiled_.push_back(std::move(waiting));
}

void Explanation::add(StepId id, World::Time age) {
  running_[id.number] = {.session = id.session, .step = id.number, .age = to_ms(age), .waits = {}};
}

void Explanation::add(StepId id, std::vector<Wait> waits) {
  std::ranges::move(waits, std::back_inserter(running_.at(id.number).waits));
}

void Explanation::add_silent(StepId id, const std::string& device, const std::string& task) {
  auto& step = running_.at(id.number);
  step.waits.push_back(
      {.device = device,
       .what = "the device, which does not answer",
       .peer = task,
       .age = step.age});
}

void ask_device(
    const std::shared_ptr<Explanation>& explanation, SessionProtocol::pointer self, StepId id,
    const CompiledStep::DevicePartition& partition) {
  self->request(partition.actor, explanation->timeout(), ExplainStep{id})
      .then(
          [explanation, id](StepWaits& found) { explanation->add(id, std::move(found.waits)); },
          [explanation, id, device = partition.device, task = partition.task](const caf::error&) {
            explanation->add_silent(id, device, task);
          });
}

}  // namespace troupe
