#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What a step's kernels want to have done when it is known how the whole step ends, which may be
/// on other devices and later than on theirs: what they took out of a resource is put back there,
/// or is taken for good.
class EndHooks {
 public:
  using Hook = std::function<void(const Status&)>;

  /// `bytes`: what the hook keeps in memory.
  void add(Hook hook, uint64_t bytes) {
    hooks_.push_back(std::move(hook));
    bytes_ += bytes;
  }
  bool empty() const { return hooks_.empty(); }
  uint64_t bytes() const { return bytes_; }
  /// Calls them, the latest first, and forgets them.
  void call(const Status& end) {
    auto hooks = std::exchange(hooks_, {});
    bytes_ = 0;
    for (auto hook = hooks.rbegin(); hook != hooks.rend(); ++hook) (*hook)(end);
  }

 private:
  std::vector<Hook> hooks_;
  uint64_t bytes_ = 0;
};

}  // namespace troupe
