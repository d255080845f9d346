#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "troupe/devices/resources/end_hooks.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The resources that one step has for itself on one device, such as stacks and TensorArrays: they
/// are in no container, other steps cannot see them, and they end with the step. Thread-safe.
/// (TensorFlow: the step container, ScopedStepContainer.)
class StepResources {
 public:
  /// Whether the second item of a plan may use what the first one computes.
  using LeadsTo = std::function<bool(int32_t, int32_t)>;

  /// Without `leads_to`, every item may use what others have computed before.
  explicit StepResources(LeadsTo leads_to = {}) : leads_to_(std::move(leads_to)) {}
  StepResources(const StepResources&) = delete;
  ~StepResources() {
    for (auto& [name, resource] : resources_) resource->drop();
  }

  /// A handle of the resource, which is found by no name: the step holds it until it ends, or until
  /// drop().
  ResourceHandle add(const std::string& name, std::shared_ptr<Resource> resource) {
    std::lock_guard lock(mutex_);
    auto unique = name + "#" + std::to_string(count_++);
    resources_.emplace(unique, resource);
    return {.container = container, .name = std::move(unique), .resource = std::move(resource)};
  }

  /// Whether the handle is of one that was added: other steps do not see it.
  static bool is_own(const ResourceHandle& handle) { return handle.container == container; }
  /// Whether it was added by that name.
  static bool is_named(const ResourceHandle& handle, const std::string& name) {
    return is_own(handle) && handle.name.starts_with(name + "#") &&
           handle.name.find('#', name.size() + 1) == std::string::npos;
  }

  /// Ends one of them before the step does; one that is gone is left alone.
  void drop(const ResourceHandle& handle) {
    std::shared_ptr<Resource> dropped;
    {
      std::lock_guard lock(mutex_);
      if (auto found = resources_.extract(handle.name)) dropped = std::move(found.mapped());
    }
    if (dropped) dropped->drop();
  }

  /// What kernels of the step share under a name, which the first of them makes.
  template <class T>
  std::shared_ptr<T> shared(const std::string& name) {
    std::lock_guard lock(mutex_);
    auto& made = shared_[name];
    if (!made) made = std::make_shared<T>();
    return std::static_pointer_cast<T>(made);
  }

  /// Tells `hook`, which keeps so many bytes in memory, how the step ends: where it fails on this
  /// device, before anybody else is told of that; else see StepPort::keep(). Not called for a step
  /// that is never run to its end. That the step is going to fail is told at once where it is known
  /// already. `item`: the plan's that wants it.
  void when_ended(const EndHooks::Hook& hook, uint64_t bytes, int32_t item) {
    std::unique_lock lock(mutex_);
    end_hooks_.add(hook, bytes, item);
    has_end_hooks_ = true;
    if (error_.ok()) return;
    lock.unlock();
    hook->failing(error_);
  }
  /// For the executor: the step fails, for the first time.
  void fail(const Status& error) {
    std::unique_lock lock(mutex_);
    error_ = error;
    auto hooks = end_hooks_.all();
    lock.unlock();
    for (const auto& hook : hooks) hook->failing(error);
  }
  /// That item of the plan has changed what other steps see: a variable, a queue. For the items
  /// whose results it may have used the step has ended well, however it ends: what they took has
  /// had its effect.
  void note_change(int32_t item) {
    if (!has_end_hooks_) return;
    std::unique_lock lock(mutex_);
    auto used =
        end_hooks_.extract([&](int32_t from) { return !leads_to_ || leads_to_(from, item); });
    lock.unlock();
    used.call({});
  }
  /// For the executor, once nothing of the step runs on this device any more.
  EndHooks take_end_hooks() { return std::exchange(end_hooks_, {}); }

 private:
  static constexpr const char* container = "_step";

  const LeadsTo leads_to_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Resource>> resources_;
  uint64_t count_ = 0;
  EndHooks end_hooks_;
  Status error_;  // changes once
  std::atomic<bool> has_end_hooks_ = false;
  std::map<std::string, std::shared_ptr<void>> shared_;
};

}  // namespace troupe
