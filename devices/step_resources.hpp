#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/devices/resources/end_hooks.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The resources that one step has for itself on one device, such as stacks and TensorArrays: they
/// are in no container, other steps cannot see them, and they end with the step. Thread-safe.
/// (TensorFlow: the step container, ScopedStepContainer.)
class StepResources {
 public:
  StepResources() = default;
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

  /// Whether the handle is of one that was added by that name.
  static bool is_named(const ResourceHandle& handle, const std::string& name) {
    return handle.container == container && handle.name.starts_with(name + "#") &&
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

  /// Calls `hook`, which keeps so many bytes in memory, with how the step ends: where it fails on
  /// this device, before anybody is told of that; else see StepPort::keep(). Not called for a step
  /// that is never run to its end.
  void when_ended(EndHooks::Hook hook, uint64_t bytes) {
    std::lock_guard lock(mutex_);
    end_hooks_.add(std::move(hook), bytes);
  }
  /// A kernel has put something into a queue. What the step took of another one may be there: if
  /// the step ends well on this device, that is taken for good, however the step ends elsewhere.
  /// Else it would be in both.
  void hand_on() { has_handed_on_ = true; }
  bool has_handed_on() const { return has_handed_on_; }
  /// For the executor, once nothing of the step runs on this device any more.
  EndHooks take_end_hooks() { return std::exchange(end_hooks_, {}); }

 private:
  static constexpr const char* container = "_step";

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Resource>> resources_;
  uint64_t count_ = 0;
  EndHooks end_hooks_;
  std::atomic<bool> has_handed_on_ = false;
  std::map<std::string, std::shared_ptr<void>> shared_;
};

}  // namespace troupe
