#include "troupe/actors/compiled_steps.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// Beside those that callables hold.
constexpr size_t compiled_steps_max = 256;

void tell_all(const CompiledSteps::Step& step, const Status& status) {
  for (auto& waiting : std::exchange(step->waiting, {})) waiting.ready(step, status);
}

}  // namespace

void CompiledSteps::begin(
    SessionMailbox::pointer self, const TaskActor& task, const SessionSettings& settings,
    const Graph& graph) {
  self_ = self;
  settings_ = &settings;
  graph_ = &graph;
  compiler_.begin(self, task, settings, [this](const CompiledStep::Part& part) {
    devices_[part.device] = part;
  });
}

CompiledSteps::Step CompiledSteps::find(const StepSignature& signature) const {
  auto found = steps_.find(signature);
  return found != steps_.end() && found->second->ready ? found->second : nullptr;
}

void CompiledSteps::compile(StepSignature signature, CallId call, Ready ready) {
  auto& step = steps_[signature];
  if (step && step->ready) return ready(Step(step), {});
  auto is_new = !step;
  if (is_new) step = std::make_shared<CompiledStep>();
  step->waiting.push_back({call, std::move(ready)});
  if (!is_new) return;
  step->signature = std::move(signature);
  step->plan = next_plan_++;
  step->began = settings_->world->now();
  compiler_.compile(*graph_, step, [this, step](const Status& status) {
    if (!status.ok()) fail(step, status);
    else if (step->is_dropped) fail(step, unavailable("a device of the step was lost"));
    else become_ready(step);
  });
}

bool CompiledSteps::end_wait(CallId call, const Status& why) {
  for (auto& [signature, step] : steps_) {
    auto found = std::ranges::find(step->waiting, call, &CompiledStep::Waiting::call);
    if (found == step->waiting.end()) continue;
    auto waiting = std::move(*found);
    step->waiting.erase(found);
    waiting.ready(step, why);
    return true;
  }
  return false;
}

std::set<std::string> CompiledSteps::awaited_by(CallId call) const {
  for (const auto& [signature, step] : steps_)
    if (std::ranges::count(step->waiting, call, &CompiledStep::Waiting::call)) return step->awaited;
  return {};
}

std::vector<CompiledSteps::Step> CompiledSteps::waited_for() const {
  std::vector<Step> found;
  for (const auto& [signature, step] : steps_)
    if (!step->waiting.empty()) found.push_back(step);
  return found;
}

void CompiledSteps::become_ready(const Step& step) {
  step->ready = true;
  tell_all(step, {});
  drop_least_used();
}

void CompiledSteps::fail(const Step& step, const Status& status) {
  drop(step);
  tell_all(step, status);
}

void CompiledSteps::drop(const Step& step) {
  for (const auto& part : step->parts) self_->send(part.actor, DropPlan{settings_->id, step->plan});
  if (std::exchange(step->is_dropped, true)) return;
  steps_.erase(step->signature);
}

bool CompiledSteps::use(const ContainerChoice& containers) const {
  auto is_chosen = [&](const std::string& container) { return containers.contains(container); };
  return std::ranges::any_of(steps_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second->containers, is_chosen);
  });
}

void CompiledSteps::drop_all_on_devices_of(const CompiledStep& stale) {
  std::vector<Step> others;
  for (const auto& [signature, step] : steps_)
    if (step->ready && std::ranges::any_of(stale.parts, [&step](const CompiledStep::Part& part) {
          return step->uses_device(part.device);
        }))
      others.push_back(step);
  for (const auto& step : others) drop(step);
}

void CompiledSteps::lose(const PeerLost& lost, const Status& why) {
  // A device that was only silent still has what the session left there.
  for (const auto& [name, part] : devices_)
    if (part.task == lost.task) self_->send(part.actor, EndSession{settings_->id});
  std::erase_if(devices_, [&lost](const auto& entry) { return entry.second.task == lost.task; });
  std::vector<Step> stale;
  for (const auto& [signature, step] : steps_)
    if (step->uses_task(lost.task)) stale.push_back(step);
  for (const auto& step : stale) {
    if (step->ready) drop(step);
    else fail(step, why);
  }
}

void CompiledSteps::drop_least_used() {
  size_t count = 0;
  Step oldest;
  for (const auto& [signature, step] : steps_) {
    if (step->callables > 0) continue;
    ++count;
    if (step->ready && step->running == 0 && (!oldest || step->last_used < oldest->last_used))
      oldest = step;
  }
  if (oldest && count > compiled_steps_max) drop(oldest);
}

void CompiledSteps::close(const Status& why) {
  for (const auto& [name, part] : devices_) self_->send(part.actor, EndSession{settings_->id});
  end_all_waits(why);
}

void CompiledSteps::end_all_waits(const Status& why) {
  for (auto& [signature, step] : std::exchange(steps_, {})) tell_all(step, why);
}

}  // namespace troupe
