#pragma once

#include <algorithm>
#include <cstdint>

namespace troupe::swarm {

/// What is known of the value of a shared counter that starts at 0 and is bumped by many steps, of
/// which some end without anybody knowing whether they bumped it.
///
/// CM-1: a bump that was acknowledged is never lost while the counter lives.
/// CM-2: no bump happens twice.
class CounterModel {
 public:
  /// A bump under way.
  struct Bump {
    int64_t era;
  };

  /// Somebody sets the counter to 0, now or soon: from then on only bumps that are under way now,
  /// or follow, may change it.
  void prepare() { possible_ = under_way_; }
  /// It was set to 0. `may_be_reset`: an earlier assignment of 0 may yet arrive.
  void begin(bool may_be_reset) {
    ++era_;
    acknowledged_ = 0;
    may_be_reset_ = may_be_reset;
  }

  Bump start() {
    ++under_way_;
    ++possible_;
    return {era_};
  }
  void end(Bump bump, bool acknowledged) {
    --under_way_;
    if (bump.era == era_ && acknowledged) ++acknowledged_;
  }

  /// Counts the beginnings: bounds of different eras say nothing of each other.
  int64_t era() const { return era_; }
  int64_t least() const { return may_be_reset_ ? 0 : acknowledged_; }
  int64_t most() const { return possible_; }

 private:
  int64_t era_ = 0;
  int64_t acknowledged_ = 0;
  int64_t possible_ = 0;  // bumps that may have happened since
  int64_t under_way_ = 0;
  bool may_be_reset_ = false;
};

}  // namespace troupe::swarm
