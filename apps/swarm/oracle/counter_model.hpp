#pragma once

#include <algorithm>
#include <cstdint>

namespace troupe::swarm {

/// Bounds of the value of a shared counter that starts at 0 and is incremented by many
/// steps, some of which end without an answer that tells whether they took effect.
///
/// CM-1: an acknowledged increment is never lost while the counter keeps its value.
/// CM-2: no increment takes effect twice.
class CounterModel {
 public:
  /// A pending increment.
  struct Increment {
    int64_t generation;
  };

  /// An assignment of 0 starts: increments that are pending now, or start later, may take effect
  /// after it.
  void prepare() { possible_ = in_flight_; }
  /// The assignment of 0 succeeded, which starts a new generation. `may_be_reset`: an earlier
  /// assignment of 0 may still take effect.
  void begin(bool may_be_reset) {
    ++generation_;
    acknowledged_ = 0;
    may_be_reset_ = may_be_reset;
  }

  Increment start() {
    ++in_flight_;
    ++possible_;
    return {generation_};
  }
  void end(Increment increment, bool acknowledged) {
    --in_flight_;
    if (increment.generation == generation_ && acknowledged) ++acknowledged_;
  }

  /// Counts the successful assignments of 0. Bounds of different generations are not comparable.
  int64_t generation() const { return generation_; }
  int64_t least() const { return may_be_reset_ ? 0 : acknowledged_; }
  int64_t most() const { return possible_; }

 private:
  int64_t generation_ = 0;
  int64_t acknowledged_ = 0;
  int64_t possible_ = 0;  // increments that may have taken effect in this generation
  int64_t in_flight_ = 0;
  bool may_be_reset_ = false;
};

}  // namespace troupe::swarm
