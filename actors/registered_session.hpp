#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "troupe/actors/ended_steps.hpp"
#include "troupe/actors/registered_plan.hpp"
#include "troupe/actors/step_rendezvous.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/devices/executor.hpp"

namespace troupe {

/// A step's part on a device.
struct RunningStep {
  std::shared_ptr<StepRendezvous> rendezvous = std::make_shared<StepRendezvous>();
  std::shared_ptr<const RegisteredPlan> plan;  // null until the step is started here
  std::shared_ptr<Execution> execution;        // null until it has not ended inside its start
  uint32_t part = 0;                           // of the step, as its start says
  std::shared_ptr<StepTrace> trace;            // null where nobody asked for it
  bool sends_graph = false;
  World::Time began{0};  // when it was first heard of
  Counted counted;
};

/// What a device holds for a session.
struct RegisteredSession {
  std::string master;  // its task
  StepReports actor;
  Counted counted;
  std::map<PlanId, std::shared_ptr<const RegisteredPlan>> plans;
  std::map<uint64_t, RunningStep> steps;
  std::set<uint64_t> early;  // those of them that were not started here yet
  EndedSteps ended;

  /// The step with that number, new where none was heard of it; null where it has ended.
  RunningStep* find_or_add(uint64_t number, World& world, const std::shared_ptr<Gauges>& gauges) {
    // Asked first: of a step that takes long, `ended` says that it has ended.
    if (auto found = steps.find(number); found != steps.end()) return &found->second;
    if (ended.contains(number)) return nullptr;
    early.insert(number);
    auto& step = steps[number];
    step.began = world.now();
    step.counted = Counted(gauges, &Gauges::steps_here);
    return &step;
  }

  /// Ends the steps that were not started before this one, and returns how many. A session starts
  /// its steps in order: those never will be.
  size_t forget_early_before(uint64_t number) {
    size_t count = 0;
    for (; !early.empty() && *early.begin() < number; ++count) {
      auto forgotten = early.extract(early.begin()).value();
      steps.erase(forgotten);
      ended.add(forgotten);
    }
    return count;
  }

  /// Memory of the steps that were not started here yet.
  size_t early_bytes() const {
    constexpr size_t bytes_each = 1024;  // of the step itself
    size_t bytes = 0;
    for (auto number : early) bytes += bytes_each + steps.at(number).rendezvous->waiting_bytes();
    return bytes;
  }
};

}  // namespace troupe
