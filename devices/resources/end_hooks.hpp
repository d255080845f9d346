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

  /// `bytes`: what the hook keeps in memory. `item`: the plan's that wants it.
  void add(Hook hook, uint64_t bytes, int32_t item) {
    hooks_.push_back({std::move(hook), bytes, item});
    bytes_ += bytes;
  }
  /// Takes those out that came of items for which `is_wanted(item)`.
  template <class IsWanted>
  EndHooks extract(const IsWanted& is_wanted) {
    EndHooks wanted, others;
    for (auto& entry : std::exchange(hooks_, {})) {
      auto& to = is_wanted(entry.item) ? wanted : others;
      to.add(std::move(entry.call), entry.bytes, entry.item);
    }
    *this = std::move(others);
    return wanted;
  }
  bool empty() const { return hooks_.empty(); }
  uint64_t bytes() const { return bytes_; }
  /// Calls them, the latest first, and forgets them.
  void call(const Status& end) {
    auto hooks = std::exchange(hooks_, {});
    bytes_ = 0;
    for (auto hook = hooks.rbegin(); hook != hooks.rend(); ++hook) hook->call(end);
  }

 private:
  struct Entry {
    Hook call;
    uint64_t bytes;
    int32_t item;
  };

  std::vector<Entry> hooks_;
  uint64_t bytes_ = 0;
};

}  // namespace troupe
