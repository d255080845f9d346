#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "troupe/devices/frame_iteration.hpp"
#include "troupe/devices/pending_counts.hpp"
#include "troupe/devices/plan.hpp"

namespace troupe {

class StepFrame;

/// One iteration of a loop in one step, or all that is in no loop: the inputs of its nodes, and
/// what they still wait for.
class Iteration {
 public:
  Iteration(const Plan& plan, const Plan::Frame& frame, FrameIteration at, StepFrame* step_frame);

  /// Begins it, or begins it again for another round.
  void begin(const Plan& plan, int64_t number, int32_t units);

  Tensor& slot(int32_t slot) { return slots_[slot - frame_.first_slot]; }
  std::span<Tensor> inputs_of(const Plan::NodeItem& item) {
    return {
        slots_.data() + (item.first_slot - frame_.first_slot),
        static_cast<size_t>(item.input_count)};
  }
  PendingCounts& counts() { return counts_; }
  const FrameIteration& at() const { return at_; }
  /// Null for what is in no loop.
  StepFrame* frame() const { return step_frame_; }

  /// A node of it is ready, or something else will bring it values: it does not end meanwhile.
  /// Counted for loops only. `alone`: no other thread works on the step.
  void hold(bool alone) {
    if (!alone) units_.fetch_add(1, std::memory_order_relaxed);
    else units_.store(units_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void clear() { slots_.clear(); }

 private:
  friend class StepFrames;

  /// Returns how many there were.
  int32_t give_up(bool alone) {
    if (!alone) return units_.fetch_sub(1, std::memory_order_acq_rel);
    auto units = units_.load(std::memory_order_relaxed);
    units_.store(units - 1, std::memory_order_relaxed);
    return units;
  }

  const Plan::Frame& frame_;
  StepFrame* step_frame_;
  FrameIteration at_;
  std::vector<Tensor> slots_;
  PendingCounts counts_;
  std::atomic<int32_t> units_{0};
  std::map<int32_t, std::unique_ptr<StepFrame>> inside_;  // the loops in it, by frame of the plan
};

/// A value that an item gives to all its consumers in one iteration.
struct PassedValue {
  const Plan::NodeItem* item;
  Tensor value;  // unset: dead
};

/// A loop that runs in one step, within one iteration of what is around it.
class StepFrame {
 public:
  StepFrame(const Plan::Frame& frame, uint64_t id, Iteration& around)
      : frame_(frame), id_(id), around_(around) {}

  Iteration& around() const { return around_; }
  /// The Exits that the last iteration did not reach, once the loop has ended.
  const std::vector<const Plan::NodeItem*>& dead_exits() const { return dead_exits_; }

 private:
  friend class StepFrames;

  const Plan::Frame& frame_;
  const uint64_t id_;
  Iteration& around_;
  int64_t first_ = 0;                               // the oldest iteration that runs
  std::deque<std::unique_ptr<Iteration>> running_;  // from that on
  std::vector<std::unique_ptr<Iteration>> unused_;  // for iterations to come
  std::vector<PassedValue> invariants_;             // what each iteration begins with
  std::vector<PassedValue> deferred_;               // for the next iteration, when it may begin
  std::vector<const Plan::NodeItem*> dead_exits_;
};

/// The loops of one step of a plan. An iteration ends, and its memory goes back, when no node of it
/// is ready or runs, the loops in it have ended, and so has the iteration before it; a loop ends
/// with its last iteration. At most `parallel_iterations` of a loop run at once: what would begin
/// one more waits for the oldest to end. Thread-safe, but for calls that say that the caller is
/// `alone`: then no other thread works on the step, and none is locked out. (TensorFlow:
/// ExecutorState::FrameState.)
class StepFrames {
 public:
  explicit StepFrames(const Plan& plan);

  Iteration& root() { return root_; }

  /// The first iteration of the loop that an Enter leads to. The caller passes the value on, and
  /// then calls end_node() for that iteration.
  Iteration& enter(Iteration& from, const Plan::NodeItem& item);
  /// As enter(), for a value that all iterations get: also those that run already, first of which
  /// the result's is, and those to come.
  std::vector<Iteration*> enter_all(Iteration& from, const PassedValue& invariant);

  /// Where a NextIteration gives its value to: null where that has to wait. If the iteration
  /// begins with it, `first` is what it begins with.
  Iteration* next(
      Iteration& from, const PassedValue& passed, std::vector<PassedValue>& first, bool alone);

  /// An Exit had no value in that iteration.
  void note_dead_exit(Iteration& from, const Plan::NodeItem& item, bool alone);

  /// What follows from the end of a node.
  struct End {
    Iteration* begun = nullptr;       // one that had to wait: the caller passes these values on,
    std::vector<PassedValue> passed;  // and then calls end_node() for it
    StepFrame* ended = nullptr;       // the caller passes its dead exits on, and calls end_frame()
  };
  /// A node of an iteration of a loop has ended, and what it gives was passed on.
  End end_node(Iteration& iteration, bool alone) {
    if (!alone || iteration.units_.load(std::memory_order_relaxed) == 1)
      return end_node_of(iteration, alone);
    iteration.give_up(/*alone=*/true);  // nothing follows from the end of most
    return {};
  }
  /// Returns what is around the loop, which has one node less now: call end_node() for it.
  Iteration& end_frame(StepFrame& frame);

  /// Lets go of all values. No node may run any more.
  void clear();

 private:
  std::unique_lock<std::mutex> lock_unless(bool alone) {
    return alone ? std::unique_lock(mutex_, std::defer_lock) : std::unique_lock(mutex_);
  }
  End end_node_of(Iteration& iteration, bool alone);
  StepFrame& frame_of(Iteration& from, const Plan::NodeItem& item);
  Iteration& begin_iteration(StepFrame& frame, int32_t units);

  const Plan& plan_;
  std::mutex mutex_;
  Iteration root_;
};

}  // namespace troupe
