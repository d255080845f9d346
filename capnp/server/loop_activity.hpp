#pragma once

#include <kj/async.h>

#include <utility>

namespace troupe {

/// Tells the thread of an event loop when one of the loop's events was more than the loop's own
/// bookkeeping: a posted task, a message to an actor, a frame that was read or written. Used on
/// that thread.
class LoopActivity {
 public:
  void note() {
    KJ_IF_MAYBE (waiting, next_) {
      auto fulfiller = kj::mv(*waiting);
      next_ = nullptr;
      fulfiller->fulfill();
    }
  }
  /// Resolves at the next note(). One at a time.
  kj::Promise<void> next() {
    auto next = kj::newPromiseAndFulfiller<void>();
    next_ = kj::mv(next.fulfiller);
    return kj::mv(next.promise);
  }

 private:
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> next_;
};

}  // namespace troupe
