#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The names of the ops that a device has kernels for. All sets of a process that have the same
/// share them: they are several hundred, and the same for most devices of a cluster. Thread-safe.
class OpSet {
 public:
  OpSet() : OpSet(std::vector<std::string>()) {}
  explicit OpSet(std::vector<std::string> names);

  bool contains(std::string_view op) const { return std::ranges::binary_search(*names_, op); }
  /// In order.
  const std::vector<std::string>& names() const { return *names_; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace troupe
