#pragma once

#include <kj/async.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "troupe/actors/session/session_end.hpp"
#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Fulfills a promise of the loop's thread with an answer from any thread; only the first answer
/// counts. Destroyed without an answer, it answers why the session that was asked has ended, or
/// Aborted for another actor. The KJ fulfiller itself is used and destroyed on the loop's thread
/// only.
template <class T>
class AnswerFulfiller {
 public:
  AnswerFulfiller(
      kj::Own<kj::PromiseFulfiller<T>> fulfiller, std::shared_ptr<TaskQueue> task_queue,
      std::shared_ptr<const SessionEnd> end)
      : fulfiller_(std::make_shared<kj::Own<kj::PromiseFulfiller<T>>>(kj::mv(fulfiller))),
        task_queue_(std::move(task_queue)),
        end_(std::move(end)) {}
  AnswerFulfiller(const AnswerFulfiller&) = delete;
  AnswerFulfiller& operator=(const AnswerFulfiller&) = delete;
  ~AnswerFulfiller() {
    answer(end_ ? end_->status() : aborted("the actor that was asked has ended"));
  }

  void answer(T value) {
    if (is_answered_.exchange(true)) return;
    auto fulfiller = std::move(fulfiller_);
    if (task_queue_->is_loop_thread()) return (*fulfiller)->fulfill(kj::mv(value));
    // Reset on the loop's thread, so that no other thread destroys the fulfiller.
    task_queue_->post([fulfiller = std::move(fulfiller), value = std::move(value)] {
      kj::mv(*fulfiller)->fulfill(T(value));
      *fulfiller = nullptr;
    });
  }

 private:
  std::shared_ptr<kj::Own<kj::PromiseFulfiller<T>>> fulfiller_;
  std::shared_ptr<TaskQueue> task_queue_;
  std::shared_ptr<const SessionEnd> end_;  // of the session that is asked; null for another actor
  std::atomic<bool> is_answered_ = false;
};

/// Returns a promise of the answer that an actor gives through a callback. `send` is called with
/// that callback and sends the message. Actors that this makes ready run before ask() returns. The
/// promise may be dropped at any time; an answer that comes later is ignored. `end`: of the session
/// that is asked.
template <class T, class Send>
kj::Promise<T> ask(
    EventLoopExecutionUnit& unit, Send send, std::shared_ptr<const SessionEnd> end = nullptr) {
  auto answer = kj::newPromiseAndFulfiller<T>();
  auto fulfiller = std::make_shared<AnswerFulfiller<T>>(
      kj::mv(answer.fulfiller), unit.task_queue(), std::move(end));
  send([fulfiller = std::move(fulfiller)](T value) { fulfiller->answer(std::move(value)); });
  unit.drain();
  return kj::mv(answer.promise);
}

}  // namespace troupe
