#include "troupe/actors/session/step_cache.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// How often a step is compiled that loses races for its resources. One of those who race wins, so
/// the next time the resource is found; it is lost again only to resets.
constexpr int compilations_max = 8;

void notify_waiting(const StepCache::Step& step, const Status& status) {
  for (auto& waiting : std::exchange(step->waiting, {})) waiting.ready(step, status);
}

}  // namespace

void StepCache::begin(
    SessionProtocol::pointer self, const TaskActor& task, const SessionSettings& settings,
    const SessionCosts& costs) {
  self_ = self;
  settings_ = &settings;
  compiler_.begin(
      self, task, settings, costs, [this](const CompiledStep::DevicePartition& partition) {
        devices_[partition.device] = partition;
      });
}

StepCache::Step StepCache::find(const StepSignature& signature) const {
  auto found = steps_.find(signature);
  return found != steps_.end() && found->second->ready ? found->second : nullptr;
}

void StepCache::compile(
    const SharedGraph& graph, StepSignature signature, CallId call, Ready ready) {
  auto& step = steps_[signature];
  if (step && step->ready) return ready(Step(step), {});
  auto is_new = !step;
  if (is_new) step = std::make_shared<CompiledStep>();
  step->waiting.push_back({call, std::move(ready)});
  if (!is_new) return;
  step->signature = std::move(signature);
  step->requested = settings_->world->now();
  try_to_compile(graph, step, compilations_max);
}

void StepCache::try_to_compile(const SharedGraph& graph, const Step& step, int tries_left) {
  step->plan = next_plan_++;
  compiler_.compile(graph, step, [this, graph, step, tries_left](const Status& status) {
    auto is_late = status.code() == Code::aborted && !step->is_dropped && !step->waiting.empty();
    if (is_late && tries_left > 1) {
      drop_plans(step);
      return try_to_compile(graph, step, tries_left - 1);
    }
    if (!status.ok()) fail(step, status);
    else if (step->is_dropped) fail(step, unavailable("a device of the step was lost"));
    else become_ready(step);
  });
}

bool StepCache::cancel_wait(CallId call, const Status& why) {
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

std::set<std::string> StepCache::awaited_by(CallId call) const {
  for (const auto& [signature, step] : steps_)
    if (std::ranges::count(step->waiting, call, &CompiledStep::Waiting::call)) return step->awaited;
  return {};
}

std::vector<StepCache::Step> StepCache::compiling() const {
  std::vector<Step> found;
  for (const auto& [signature, step] : steps_)
    if (!step->waiting.empty()) found.push_back(step);
  return found;
}

void StepCache::become_ready(const Step& step) {
  step->ready = true;
  used_containers_.insert(step->containers.begin(), step->containers.end());
  notify_waiting(step, {});
  if (step->is_transient) drop(step);
  else drop_least_used();
}

void StepCache::fail(const Step& step, const Status& status) {
  drop(step);
  notify_waiting(step, status);
}

void StepCache::drop_plans(const Step& step) {
  for (const auto& partition : step->partitions)
    self_->send(partition.actor, DropPlan{settings_->id, step->plan});
}

void StepCache::drop(const Step& step) {
  drop_plans(step);
  if (std::exchange(step->is_dropped, true)) return;
  steps_.erase(step->signature);
}

std::optional<std::string> StepCache::used_of(const ContainerChoice& containers) const {
  auto find_in = [&containers](const std::set<std::string>& names) {
    auto found = std::ranges::find_if(
        names, [&](const auto& container) { return containers.contains(container); });
    return found == names.end() ? std::nullopt : std::optional(*found);
  };
  if (auto used = find_in(used_containers_)) return used;
  for (const auto& [signature, step] : steps_)
    if (auto used = find_in(step->containers)) return used;
  return std::nullopt;
}

void StepCache::drop_all_on_devices_of(const CompiledStep& stale) {
  std::vector<Step> others;
  for (const auto& [signature, step] : steps_)
    if (step->ready &&
        std::ranges::any_of(
            stale.partitions, [&step](const CompiledStep::DevicePartition& partition) {
              return step->uses_device(partition.device);
            }))
      others.push_back(step);
  for (const auto& step : others) drop(step);
}

void StepCache::peer_lost(const PeerLost& lost, const Status& why) {
  // A device that was only silent still has plans of the session.
  for (const auto& [name, partition] : devices_)
    if (partition.task == lost.task) self_->send(partition.actor, EndSession{settings_->id});
  std::erase_if(devices_, [&lost](const auto& entry) { return entry.second.task == lost.task; });
  std::vector<Step> stale;
  for (const auto& [signature, step] : steps_)
    if (step->uses_task(lost.task)) stale.push_back(step);
  for (const auto& step : stale) {
    if (step->ready) drop(step);
    else fail(step, why);
  }
}

void StepCache::drop_least_used() {
  if (steps_.size() <= steps_max) return;
  size_t count = 0;
  Step oldest;
  for (const auto& [signature, step] : steps_) {
    if (step->callables > 0) continue;
    ++count;
    if (step->ready && step->running == 0 && (!oldest || step->last_used < oldest->last_used))
      oldest = step;
  }
  if (oldest && count > steps_max) drop(oldest);
}

void StepCache::close(const Status& why) {
  for (const auto& [name, partition] : devices_)
    self_->send(partition.actor, EndSession{settings_->id});
  cancel_all_waits(why);
}

void StepCache::cancel_all_waits(const Status& why) {
  for (auto& [signature, step] : std::exchange(steps_, {})) notify_waiting(step, why);
}

}  // namespace troupe
