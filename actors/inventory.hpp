#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/actors/messages.hpp"

namespace troupe {

/// The things that a task holds in its containers, each with the name of its device; those of
/// isolated sessions are not among them. Thread-safe: the task writes, and simulations look in.
class Inventory {
 public:
  /// Calls `changed` after each change.
  explicit Inventory(std::function<void()> changed = {}) : changed_(std::move(changed)) {}

  using Things = std::map<ResourceName, std::string>;

  Things all() const {
    std::lock_guard lock(mutex_);
    return things_;
  }
  /// The device that has it; empty where none has.
  std::string device_of(const ResourceName& name) const {
    std::lock_guard lock(mutex_);
    auto found = things_.find(name);
    return found == things_.end() ? "" : found->second;
  }
  void add(const ResourceName& name, const std::string& device) {
    std::lock_guard lock(mutex_);
    things_[name] = device;
    if (changed_) changed_();
  }
  void drop(const ContainerChoice& containers) {
    std::lock_guard lock(mutex_);
    std::erase_if(
        things_, [&](const auto& thing) { return containers.contains(thing.first.container); });
    if (changed_) changed_();
  }

 private:
  mutable std::mutex mutex_;
  Things things_;
  const std::function<void()> changed_;
};

}  // namespace troupe
