#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The resources that the containers of one task hold, each with the name of the device it is on.
/// The containers keep it up to date; those of single sessions are not in it. Thread-safe:
/// containers write, simulations read.
class ResourceIndex {
 public:
  /// Calls `changed` after each change.
  explicit ResourceIndex(std::function<void()> changed = {}) : changed_(std::move(changed)) {}

  using DeviceByResource = std::map<ResourceName, std::string>;

  DeviceByResource all() const {
    std::lock_guard lock(mutex_);
    return devices_;
  }
  void add(const ResourceName& name, const std::string& device) {
    std::lock_guard lock(mutex_);
    devices_[name] = device;
    if (changed_) changed_();
  }
  void remove(const ResourceName& name) {
    std::lock_guard lock(mutex_);
    devices_.erase(name);
    if (changed_) changed_();
  }

 private:
  mutable std::mutex mutex_;
  DeviceByResource devices_;
  const std::function<void()> changed_;
};

}  // namespace troupe
