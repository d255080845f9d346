#pragma once

#include <atomic>
#include <future>
#include <memory>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/local/caller_execution_unit.hpp"
#include "troupe/actors/local/caller_turns.hpp"

namespace troupe {

/// Sends calls to a session actor of this process; shared by the session and its session objects.
/// Thread-safe.
class LocalSessionHandle {
 public:
  LocalSessionHandle(
      caf::actor_system& system, SessionActor actor, std::shared_ptr<const SessionEnd> end)
      : system_(system), actor_(std::move(actor)), end_(std::move(end)) {}

  CallId next_call() { return next_call_++; }
  bool is_closed() const { return is_closed_; }
  /// Sets is_closed(), and returns its earlier value.
  bool close() { return is_closed_.exchange(true); }
  /// Why it cannot be called any more.
  Status closed_error() const {
    return is_closed() ? SessionEnd::closed_by_client() : end_->status();
  }

  /// Sends a call without waiting for its answer.
  template <class Call>
  void send(Call call) {
    tell(actor_, std::move(call));
  }

  /// Sends a call and runs the actors that it wakes on this thread, until the call is answered or
  /// no more of them are ready here. They run elsewhere if the thread gets no turn.
  template <class Call, class IsAnswered>
  void send_from_here(Call call, IsAnswered is_answered) {
    CallerTurns::Turn turn(turns_);
    if (!turn) return tell(actor_, std::move(call));
    CallerExecutionUnit here(system_);
    tell(actor_, std::move(call), &here);
    // One activation at a time: an actor that others keep busy must not keep this thread.
    while (!is_answered() && !here.empty()) here.drain(1);
    // What was woken before the answer, as a device that is told how the step has ended, is run
    // here, too, unless it is much: for another thread to wake up takes longer.
    here.drain(woken_before_answer_max);
  }

  /// Makes a call with `make(callback)`, sends it, and waits for the answer.
  template <class Answer, class Make>
  Answer ask(Make make) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    // A session that has ended drops the call, and the promise with it: get() throws.
    send_from_here(
        make(
            [promise = std::move(promise)](Answer value) { promise->set_value(std::move(value)); }),
        [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    try {
      return answer.get();
    } catch (const std::future_error&) {
      return closed_error();
    }
  }

 private:
  static constexpr size_t woken_before_answer_max = 4;

  caf::actor_system& system_;
  SessionActor actor_;
  const std::shared_ptr<const SessionEnd> end_;
  CallerTurns turns_;
  std::atomic<bool> is_closed_{false};
  std::atomic<CallId> next_call_{1};
};

using SharedLocalSession = std::shared_ptr<LocalSessionHandle>;

}  // namespace troupe
