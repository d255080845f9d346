#pragma once

#include <kj/async.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// The answer that is owed to a promise of the loop's thread. It may come from any thread, once; if
/// whoever owes it is gone without one, the promise hears that. The fulfiller itself is used on the
/// loop's thread only.
template <class T>
class OwedAnswer {
 public:
  OwedAnswer(kj::Own<kj::PromiseFulfiller<T>> fulfiller, std::shared_ptr<Inbox> inbox)
      : fulfiller_(std::make_shared<kj::Own<kj::PromiseFulfiller<T>>>(kj::mv(fulfiller))),
        inbox_(std::move(inbox)) {}
  OwedAnswer(const OwedAnswer&) = delete;
  OwedAnswer& operator=(const OwedAnswer&) = delete;
  ~OwedAnswer() {
    answer(aborted("who was asked has ended, as a session that a reset has closed"));
  }

  void answer(T value) {
    if (is_answered_.exchange(true)) return;
    auto fulfiller = std::move(fulfiller_);
    if (inbox_->is_here()) return (*fulfiller)->fulfill(kj::mv(value));
    // Emptied there, so that no other thread has a fulfiller to destroy.
    inbox_->post([fulfiller = std::move(fulfiller), value = std::move(value)] {
      kj::mv(*fulfiller)->fulfill(T(value));
      *fulfiller = nullptr;
    });
  }

 private:
  std::shared_ptr<kj::Own<kj::PromiseFulfiller<T>>> fulfiller_;
  std::shared_ptr<Inbox> inbox_;
  std::atomic<bool> is_answered_ = false;
};

/// Makes a promise of the answer that an actor gives through a callback: `send` tells the actor,
/// with the callback it is given. The actors that this wakes run before ask() returns. The promise
/// may be dropped at any time; a late answer is then dropped, too.
template <class T, class Send>
kj::Promise<T> ask(KjUnit& unit, Send send) {
  auto answer = kj::newPromiseAndFulfiller<T>();
  auto owed = std::make_shared<OwedAnswer<T>>(kj::mv(answer.fulfiller), unit.inbox());
  send([owed = std::move(owed)](T value) { owed->answer(std::move(value)); });
  unit.drain();
  return kj::mv(answer.promise);
}

}  // namespace troupe
