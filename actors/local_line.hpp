#pragma once

#include <atomic>
#include <future>
#include <memory>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/own_unit.hpp"

namespace troupe {

/// The way to a session of this process, for the session and all that was made of it. Thread-safe.
class LocalLine {
 public:
  LocalLine(caf::actor_system& system, SessionActor actor)
      : system_(system), actor_(std::move(actor)) {}

  CallId next_call() { return next_call_++; }
  bool is_closed() const { return is_closed_; }
  /// Returns what is_closed() was.
  bool close() { return is_closed_.exchange(true); }
  static Status closed_error() { return failed_precondition("the session is closed"); }

  /// Sends what nobody waits for here.
  template <class Call>
  void send(Call call) {
    tell(actor_, std::move(call));
  }

  /// Sends a call, and has this thread run what it wakes until it is answered, or others have to.
  template <class Call, class IsAnswered>
  void send_from_here(Call call, IsAnswered is_answered) {
    OwnUnit here(system_);
    tell(actor_, std::move(call), &here);
    // Only as long as it takes: an actor that others keep busy must not keep this thread.
    while (!is_answered() && !here.empty()) here.drain(1);
  }

  /// Sends the call that `make` makes around a callback, and waits for its answer.
  template <class Answer, class Make>
  Answer ask(Make make) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    // A session that has ended drops the call, and with it the promise: that is an answer, too.
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
  caf::actor_system& system_;
  SessionActor actor_;
  std::atomic<bool> is_closed_{false};
  std::atomic<CallId> next_call_{1};
};

using SharedLine = std::shared_ptr<LocalLine>;

}  // namespace troupe
