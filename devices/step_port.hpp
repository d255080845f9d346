#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "troupe/devices/frame_iteration.hpp"
#include "troupe/devices/resources/end_hooks.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

class SessionTensors;

/// Runs `work` once so much time has passed by the clock of the device's task, on a thread of the
/// device or of its actor: also after the step. Not at all where the device has ended.
using Timer = std::function<void(std::chrono::nanoseconds delay, std::function<void()> work)>;

/// Names an edge that crosses devices, within one compiled step.
using EdgeId = int64_t;

/// Names one value that crosses devices, within one step: an edge inside of a loop carries one per
/// iteration.
struct EdgeKey {
  EdgeKey() = default;
  EdgeKey(EdgeId edge, FrameIteration at = {}) : edge(edge), at(at) {}

  EdgeId edge = 0;
  FrameIteration at;

  auto operator<=>(const EdgeKey&) const = default;
};

/// What connects a running plan with the world outside its device: the step's feeds and fetches,
/// the edges from and to other devices, and where work goes on that was waited for. Thread-safe; no
/// call waits.
///
/// An unset tensor on an edge is a dead value: what computes it was not chosen by a Switch.
class StepPort {
 public:
  using Arrived = std::function<void(Result<Tensor>)>;

  virtual ~StepPort() = default;

  /// Feed `index` of this plan, in host memory.
  virtual Tensor feed(int index) = 0;
  virtual void fetch(int index, Tensor value) = 0;

  /// Whether a value may be sent to another process as it is: in the memory of the sending device,
  /// all written (once true, it stays true for values of that memory), or in memory of the host
  /// that a copy still fills (accelerator/filling_memory.hpp).
  virtual bool lends(const EdgeKey& key, const Tensor& value) { return false; }
  /// Pushes a value along an edge; fails where it is more than can be sent. A value for another
  /// device of this process may lie in the sending device's memory, so may one that it lends(); all
  /// others lie in the host's.
  virtual Status send(const EdgeKey& key, Tensor value) = 0;
  /// The edge's value, or the step's error, where it is there already; else nothing happens, and
  /// neither does it for a value in a device's memory.
  virtual std::optional<Result<Tensor>> try_receive(const EdgeKey& key) = 0;
  /// Calls `arrived` exactly once, when the edge's value is there or the step has failed.
  virtual void receive(const EdgeKey& key, Arrived arrived) = 0;

  /// The plan failed: pending and later receives are answered with this error.
  virtual void fail(const Status& status) = 0;

  /// Takes the hooks of a plan that has ended well; calls them once it is known how the whole step
  /// ends. By default the plan is the whole step, and they are called at once.
  virtual void defer_end_hooks(EndHooks hooks) { hooks.call({}); }

  /// The time, by the clock of the device's task; 0 where it has none.
  virtual std::chrono::nanoseconds now() const { return {}; }
  /// What runs work later; null where the task has no clock.
  virtual Timer timer() const { return {}; }
  /// Which step it is, in words, "step 3 of a session at /job:worker/task:0": for those who ask who
  /// waits for a resource.
  virtual std::string name() const { return {}; }

  /// What the step's session keeps on the device; null for a step of no session.
  virtual SessionTensors* session_tensors() { return nullptr; }

  /// Runs `work` soon on a thread of the device or of its actor, never inside this call: so whoever
  /// wakes a waiting kernel neither runs what follows it on its own stack nor holds a lock
  /// meanwhile.
  virtual void post(std::function<void()> work) = 0;
};

}  // namespace troupe
