#pragma once

#include <functional>
#include <memory>

#include "troupe/devices/plan.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/devices/step_trace.hpp"

namespace troupe {

/// One step's run of a plan. A node runs when the last edge it waits for arrives: cheap ones one
/// after the other where they became ready, dear ones as tasks of the device. No thread ever waits
/// for a node.
class Execution {
 public:
  virtual ~Execution() = default;

  /// Ends the step early with this error; nodes that run already finish first. Thread-safe.
  virtual void cancel(Status why) = 0;
};

/// Starts a step and returns soon (after some 100 us of cheap nodes at most, then the device's
/// threads go on). `done` is called exactly once, from any thread, maybe before this returns, when
/// nothing of the step runs any more: with the first error, which names its node, or with Ok.
/// `trace`, where there is one, is told of each node.
std::shared_ptr<Execution> start(
    std::shared_ptr<const Plan> plan, std::shared_ptr<StepPort> port,
    std::function<void(Status)> done, std::shared_ptr<StepTrace> trace = nullptr);

}  // namespace troupe
