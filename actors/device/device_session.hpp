#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "troupe/actors/container/container_actor.hpp"
#include "troupe/actors/device/device_plan.hpp"
#include "troupe/actors/device/ended_steps.hpp"
#include "troupe/actors/device/step_rendezvous.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/devices/resources/session_kernels.hpp"
#include "troupe/devices/resources/session_tensors.hpp"

namespace troupe {

/// A step on this device: the run of one partition.
struct DeviceStep {
  std::shared_ptr<StepRendezvous> rendezvous = std::make_shared<StepRendezvous>();
  std::shared_ptr<const DevicePlan> plan;  // null until StartStep has arrived
  std::shared_ptr<Execution> execution;    // null until started, or if it ended in its start
  uint32_t partition = 0;                  // its number, from StartStep
  std::shared_ptr<StepTrace> trace;        // null unless requested
  bool sends_graph = false;
  Status given_up;         // by CancelStep; before its StartStep it ends as soon as that arrives
  World::Time created{0};  // when its first message arrived
  Counted counted;
};

/// A session on this device: its plans and its steps.
struct DeviceSession {
  std::string master;  // the task of the session
  StepListener actor;
  Counted counted;
  std::map<PlanId, std::shared_ptr<const DevicePlan>> plans;
  std::map<PlanId, NewResources> created;  // for plans that no step has run yet
  std::map<uint64_t, DeviceStep> steps;
  std::set<uint64_t> unstarted;  // steps that were sent something, whose StartStep has not come
  EndedSteps ended;
  std::shared_ptr<SessionTensors> kept;  // from step to step
  std::shared_ptr<SessionKernels> kernels = std::make_shared<SessionKernels>();

  /// `device` is the device's full name.
  DeviceSession(const std::shared_ptr<Metrics>& metrics, const std::string& device)
      : counted(metrics, &Metrics::device_sessions),
        kept(std::make_shared<SessionTensors>(device)) {}

  void add(PlanId id, std::shared_ptr<const DevicePlan> plan, NewResources created_for_it) {
    plans[id] = std::move(plan);
    if (!created_for_it.empty()) created[id] = std::move(created_for_it);
  }

  /// Removes a plan, and returns the resources that were created for it, if no step has run it.
  NewResources drop(PlanId plan) {
    plans.erase(plan);
    auto found = created.extract(plan);
    return found ? std::move(found.mapped()) : NewResources();
  }

  /// The same for all plans that exchange tensors with the task.
  NewResources drop_plans_with(const std::string& task) {
    std::vector<PlanId> ids;
    for (const auto& [id, plan] : plans)
      if (plan->peers.contains(task)) ids.push_back(id);
    NewResources dropped;
    for (auto id : ids) std::ranges::move(drop(id), std::back_inserter(dropped));
    return dropped;
  }

  /// The step with that number, which is added if it is unknown; null if it has ended.
  DeviceStep* find_or_add(uint64_t number, World& world, const std::shared_ptr<Metrics>& metrics) {
    // Looked up first: EndedSteps may take a long-running step for ended.
    if (auto found = steps.find(number); found != steps.end()) return &found->second;
    if (ended.contains(number)) return nullptr;
    unstarted.insert(number);
    auto& step = steps[number];
    step.created = world.now();
    step.counted = Counted(metrics, &Metrics::device_steps);
    return &step;
  }

  /// Drops unstarted steps with lower numbers, whose StartStep will not arrive any more, and
  /// returns how many.
  size_t drop_unstarted_before(uint64_t number) {
    size_t count = 0;
    for (; !unstarted.empty() && *unstarted.begin() < number; ++count) {
      auto dropped = unstarted.extract(unstarted.begin()).value();
      steps.erase(dropped);
      ended.add(dropped);
    }
    return count;
  }

  /// Memory in use by unstarted steps, in bytes.
  size_t unstarted_bytes() const {
    constexpr size_t bytes_each = 1024;  // of a step without tensors
    size_t bytes = 0;
    for (auto number : unstarted)
      bytes += bytes_each + steps.at(number).rendezvous->waiting_bytes();
    return bytes;
  }
};

}  // namespace troupe
