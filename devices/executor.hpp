#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/plan.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/devices/step_trace.hpp"

namespace troupe {

/// A kernel that has been started and is not done.
struct WaitingNode {
  NodeId node;
  std::string what;  // that it waits for, in words
  std::string from;  // the device that it comes from; empty where it is none
};

/// One step's run of a plan. A node runs when the last edge it waits for arrives: cheap ones one
/// after the other where they became ready, expensive ones as tasks of the device. No thread ever
/// waits for a node.
///
/// EX-1: a node whose inputs, control inputs among them, are not all alive does not run, and its
///       outputs are dead; Merge and the kernels that take dead inputs are the exceptions.
/// EX-2: what follows a node that waited runs by StepPort::post(), never on the stack of whoever
///       woke it.
/// EX-3: a step that ends early calls the cancellation hook of each kernel that waits, once.
class Execution {
 public:
  virtual ~Execution() = default;

  /// Ends the step early with this error; nodes that run already finish first. Thread-safe.
  virtual void cancel(Status why) = 0;

  /// What its nodes wait for at this moment. Thread-safe.
  virtual std::vector<WaitingNode> waits() const = 0;
};

/// Starts a step and returns soon (after some 100 us of cheap nodes at most, then the device's
/// threads go on). `done` is called exactly once, from any thread, maybe before this returns, when
/// nothing of the step runs any more, also on the device's stream: with the first error, which
/// names its node where it is one's, or with Ok. `trace`, where there is one, is told of each node.
std::shared_ptr<Execution> start(
    std::shared_ptr<const Plan> plan, std::shared_ptr<StepPort> port,
    std::function<void(Status)> done, std::shared_ptr<StepTrace> trace = nullptr);

}  // namespace troupe
