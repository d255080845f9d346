#include "troupe/actors/device/step_waits.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::vector<WaitingNode> waiting_nodes(const DeviceStep& step) {
  return step.execution ? step.execution->waits() : std::vector<WaitingNode>();
}

bool needs(const DeviceStep& step, const std::string& task) {
  return step.plan->sends_to(task) ||
         std::ranges::any_of(waiting_nodes(step), [&](const WaitingNode& waiting) {
           return step.plan->describe(waiting).peer == task;
         });
}

StepWaits waits_of(
    const DeviceSession* session, uint64_t number, const std::string& device, World::Time now) {
  World::Time age{0};
  auto wait = [&](std::string what) {
    return Wait{.device = device, .what = std::move(what), .age = duration_cast<milliseconds>(age)};
  };
  if (!session) return {{wait("the step's start: the session is unknown")}};
  auto found = session->steps.find(number);
  if (found == session->steps.end())
    return {{wait("the master, which should have been told that this partition has ended")}};
  const auto& step = found->second;
  age = now - step.created;
  if (!step.plan) return {{wait("the step's start")}};
  StepWaits answer;
  for (const auto& waiting : waiting_nodes(step)) {
    answer.waits.push_back(step.plan->describe(waiting));
    answer.waits.back().device = device;
    answer.waits.back().age = duration_cast<milliseconds>(age);
  }
  if (answer.waits.empty()) answer.waits.push_back(wait("its kernels, which run"));
  return answer;
}

}  // namespace troupe
