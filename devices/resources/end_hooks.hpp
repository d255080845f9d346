#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What a kernel wants to have done when it is known how its step ends.
class EndHook {
 public:
  virtual ~EndHook() = default;
  /// The step is going to fail with that error: its kernels may still run. Called once at most.
  virtual void failing(const Status&) {}
  /// The step has ended so. Called once.
  virtual void ended(const Status& end) = 0;
};

/// What a step's kernels want to have done when it is known how the whole step ends, which may be
/// on other devices and later than on theirs: what they took out of a resource is put back there,
/// or is taken for good.
class EndHooks {
 public:
  using Hook = std::shared_ptr<EndHook>;

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
      to.add(std::move(entry.hook), entry.bytes, entry.item);
    }
    *this = std::move(others);
    return wanted;
  }
  std::vector<Hook> all() const {
    std::vector<Hook> all;
    for (const auto& entry : hooks_) all.push_back(entry.hook);
    return all;
  }
  bool empty() const { return hooks_.empty(); }
  uint64_t bytes() const { return bytes_; }
  /// Calls them, the latest first, and forgets them.
  void call(const Status& end) {
    auto hooks = std::exchange(hooks_, {});
    bytes_ = 0;
    for (auto entry = hooks.rbegin(); entry != hooks.rend(); ++entry) entry->hook->ended(end);
  }

 private:
  struct Entry {
    Hook hook;
    uint64_t bytes;
    int32_t item;
  };

  std::vector<Entry> hooks_;
  uint64_t bytes_ = 0;
};

}  // namespace troupe
