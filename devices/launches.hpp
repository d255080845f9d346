#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "troupe/devices/executor.hpp"
#include "troupe/devices/plan.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Calls a kernel. A library below may throw what its kernel does not know of: that is the node's
/// error.
template <class F>
Status without_exceptions(const F& compute) {
  try {
    return compute();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("the process has no memory left for the kernel");
  } catch (const std::exception& error) {
    return internal(std::string("the kernel threw: ") + error.what());
  }
}

/// Room for a kernel's outputs without an allocation, as nearly all have few.
class LaunchOutputs {
 public:
  explicit LaunchOutputs(int count) : count_(static_cast<size_t>(count)) {
    if (count_ > few_max) many_ = std::make_unique<Tensor[]>(count_);
    else std::uninitialized_default_construct_n(data(), count_);
  }
  LaunchOutputs(const LaunchOutputs&) = delete;
  ~LaunchOutputs() {
    if (!many_) std::destroy_n(data(), count_);
  }
  std::span<Tensor> span() { return {data(), count_}; }

 private:
  static constexpr size_t few_max = 4;

  Tensor* data() { return many_ ? many_.get() : reinterpret_cast<Tensor*>(few_); }

  size_t count_;
  std::unique_ptr<Tensor[]> many_;
  alignas(Tensor) std::byte few_[few_max * sizeof(Tensor)];
};

/// The launches of a step's kernels that wait, and how the step has ended. Thread-safe.
class WaitingLaunches {
 public:
  /// One of them. It lives on the heap until it is done.
  struct Waiting final : WaitCanceller {
    Waiting(
        WaitingLaunches& launches, const Plan::NodeItem& item, Device& device, LaunchStep step,
        std::span<Tensor> inputs)
        : launches(launches),
          item(item),
          outputs(item.output_count),
          launch(device, with_canceller(step), inputs, outputs.span()) {}

    void on_cancel(std::function<void()> hook) override {
      launches.set_hook(*this, std::move(hook));
    }
    LaunchStep with_canceller(LaunchStep step) {
      step.canceller = this;
      return step;
    }

    WaitingLaunches& launches;
    const Plan::NodeItem& item;
    LaunchOutputs outputs;
    Launch launch;
    std::function<void()> cancel_hook;  // under the mutex
    bool is_done = false;               // under the mutex
    // The kernel may finish inside start(): then its followers join the nodes of that thread.
    std::atomic<bool> returned_or_done{false};
    Status status;
    // For the trace: what a node without outputs takes in is what it gives away.
    StepTrace::Time ready{0};
    StepTrace::Time began{0};
    uint64_t bytes = 0;
  };

  void add(Waiting& waiting) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(&waiting);
  }

  void remove(Waiting& waiting) {
    std::function<void()> unused;
    std::lock_guard lock(mutex_);
    std::erase(waiting_, &waiting);
    waiting.is_done = true;
    unused.swap(waiting.cancel_hook);
  }

  /// What they wait for.
  std::vector<WaitingNode> describe() const {
    std::lock_guard lock(mutex_);
    std::vector<WaitingNode> found;
    for (const auto* waiting : waiting_)
      found.push_back(
          {waiting->item.node, waiting->item.kernel->awaits, waiting->item.kernel->awaits_from});
    return found;
  }

  /// Notes the step's first error. The caller runs the hooks; nothing for a later error.
  std::optional<std::vector<std::function<void()>>> fail(const Status& status) {
    std::lock_guard lock(mutex_);
    if (!error_.ok()) return {};
    error_ = status;
    std::vector<std::function<void()>> hooks;
    for (auto* waiting : waiting_)
      if (waiting->cancel_hook) hooks.push_back(std::exchange(waiting->cancel_hook, nullptr));
    return hooks;
  }

  /// A fail() may come while the last node ends.
  Status error() const {
    std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  /// A kernel may say its hook when another thread is done with it already: the hook, which may
  /// hold who is done, would keep the step forever.
  void set_hook(Waiting& waiting, std::function<void()> hook) {
    {
      std::lock_guard lock(mutex_);
      if (waiting.is_done) return;
      if (error_.ok()) {
        waiting.cancel_hook = std::move(hook);
        return;
      }
    }
    hook();
  }

  mutable std::mutex mutex_;
  Status error_;
  std::vector<Waiting*> waiting_;
};

}  // namespace troupe
