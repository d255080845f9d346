#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe {

/// Numbers of the objects that the actors of one node hold (each incremented where the object is
/// made and decremented where it is freed), and counts of what they have done. Thread-safe.
///
/// MT-1: once all sessions are closed and all runners stopped, and their last messages have
///       arrived, all Counts are 0.
struct Metrics {
  using Count = std::atomic<int64_t>;

  Count sessions{0};               // with this node as master
  Count runners{0};                // of this node, not stopped yet
  Count runs{0};                   // of those sessions, not answered yet
  Count callables{0};              // of those sessions, not released yet
  Count partial_runs{0};           // of those sessions, not released yet
  Count device_sessions{0};        // sessions of any master, one for each device here that they use
  Count plans{0};                  // on the devices here
  Count pending_registrations{0};  // partitions that are not compiled into plans yet
  Count device_steps{0};           // partitions of steps on the devices here
  Count pending_finds{0};          // FindTask requests that wait for a connection

  std::atomic<uint64_t> steps{0};          // run as master, since the start
  std::atomic<uint64_t> late_messages{0};  // dropped
};

/// Increments a count, such as one of Metrics, for its lifetime. A member of the objects that are
/// counted; the copy of one counts as another object.
class Counted {
 public:
  Counted() = default;
  /// Keeps the object that has the count.
  template <class Counts>
  Counted(const std::shared_ptr<Counts>& counts, Metrics::Count Counts::*count)
      : Counted(counts ? SharedCount(counts, &(counts.get()->*count)) : nullptr) {}
  Counted(const Counted& other) : Counted(other.count_) {}
  Counted(Counted&& other) noexcept = default;
  Counted& operator=(Counted other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ~Counted() { add(-1); }

 private:
  using SharedCount = std::shared_ptr<Metrics::Count>;

  explicit Counted(SharedCount count) : count_(std::move(count)) { add(1); }

  void add(int64_t count) {
    if (count_) count_->fetch_add(count, std::memory_order_relaxed);
  }

  SharedCount count_;
};

}  // namespace troupe
