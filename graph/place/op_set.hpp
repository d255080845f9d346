#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The names of the ops that a device has kernels for. All sets of a process that have the same
/// share them: they are several hundred, and the same for most devices of a cluster. Some it
/// computes only where a node asks for the device, since another one of its task does so better.
/// Thread-safe.
class OpSet {
 public:
  OpSet() : OpSet(std::vector<std::string>()) {}
  explicit OpSet(std::vector<std::string> names, std::vector<std::string> on_request = {});

  /// `is_asked_for`: a node asks for the device.
  bool contains(std::string_view op, bool is_asked_for = false) const {
    return std::ranges::binary_search(*names_, op) ||
           (is_asked_for && std::ranges::binary_search(*on_request_, op));
  }
  /// In order.
  const std::vector<std::string>& names() const { return *names_; }
  const std::vector<std::string>& on_request() const { return *on_request_; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_, on_request_;
};

}  // namespace troupe
