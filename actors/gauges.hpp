#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe {

/// What the actors of one node hold and have done, counted where it is made and freed. Thread-safe.
///
/// GA-1: once all sessions are closed and their last messages have arrived, all that is held is 0.
struct Gauges {
  using Held = std::atomic<int64_t>;

  Held sessions{0};       // of this node as master
  Held runs{0};           // of those sessions, not answered yet
  Held callables{0};      // of those sessions, not released yet
  Held partial_runs{0};   // as callables
  Held registered{0};     // sessions of any master that have something on a device here
  Held plans{0};          // on the devices
  Held registrations{0};  // partitions on their way to become plans
  Held steps_here{0};     // parts of steps on the devices, with their rendezvous
  Held finds{0};          // callers that wait for another task

  std::atomic<uint64_t> steps{0};          // run as master, since the start
  std::atomic<uint64_t> late_messages{0};  // dropped
};

/// One of what a gauge counts, from its making to its end; a copy is another one. To be a member of
/// it.
class Counted {
 public:
  Counted() = default;
  Counted(std::shared_ptr<Gauges> gauges, Gauges::Held Gauges::*gauge)
      : gauges_(std::move(gauges)), gauge_(gauge) {
    add(1);
  }
  Counted(const Counted& other) : Counted(other.gauges_, other.gauge_) {}
  Counted(Counted&& other) noexcept = default;
  Counted& operator=(Counted other) noexcept {
    std::swap(gauges_, other.gauges_);
    std::swap(gauge_, other.gauge_);
    return *this;
  }
  ~Counted() { add(-1); }

 private:
  void add(int64_t count) {
    if (gauges_) (gauges_.get()->*gauge_).fetch_add(count, std::memory_order_relaxed);
  }

  std::shared_ptr<Gauges> gauges_;
  Gauges::Held Gauges::*gauge_ = nullptr;
};

}  // namespace troupe
