#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/actors/messages.hpp"

namespace troupe {

/// The resources in the containers of one task, each with the name of the device it is placed on.
/// Resources of isolated sessions are not in the index. Thread-safe: the task actor writes,
/// simulations read.
class ResourceIndex {
 public:
  /// Calls `changed` after each change.
  explicit ResourceIndex(std::function<void()> changed = {}) : changed_(std::move(changed)) {}

  using DeviceByResource = std::map<ResourceName, std::string>;

  DeviceByResource all() const {
    std::lock_guard lock(mutex_);
    return devices_;
  }
  /// The device of the resource; empty if the index does not have it.
  std::string device_of(const ResourceName& name) const {
    std::lock_guard lock(mutex_);
    auto found = devices_.find(name);
    return found == devices_.end() ? "" : found->second;
  }
  void add(const ResourceName& name, const std::string& device) {
    std::lock_guard lock(mutex_);
    devices_[name] = device;
    if (changed_) changed_();
  }
  /// Removes the resources of those containers.
  void drop(const ContainerChoice& containers) {
    std::lock_guard lock(mutex_);
    std::erase_if(
        devices_, [&](const auto& entry) { return containers.contains(entry.first.container); });
    if (changed_) changed_();
  }

 private:
  mutable std::mutex mutex_;
  DeviceByResource devices_;
  const std::function<void()> changed_;
};

}  // namespace troupe
