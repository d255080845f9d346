#pragma once

#include <kj/async-unix.h>
#include <kj/async.h>
#include <kj/function.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "troupe/capnp/busy_poll_time.hpp"

namespace troupe {

/// A KJ event loop without a thread of its own: the thread that waits for an answer runs it. So the
/// waiting thread reads its answer from the socket itself, without a switch from a loop thread
/// (which would cost a third of a small step). If several threads wait, one of them, the leader,
/// runs the loop for all; when its own call is done, the next waiting thread becomes leader.
///
/// Between calls no thread runs the loop; what arrives then stays in the socket.
class SharedLoop final : private kj::TaskSet::ErrorHandler {
 public:
  SharedLoop();
  ~SharedLoop() noexcept;

  /// Calls `start` on the loop and returns when its promise has resolved; throws the
  /// kj::Exception with which it failed. From any thread that has no event loop of its own.
  void run(kj::Function<kj::Promise<void>()> start);
  /// As run(), and also runs all events that are due before it returns.
  void run_until_idle(kj::Function<kj::Promise<void>()> start);

  /// For streams; used only by `start` and its continuations.
  kj::UnixEventPort& port() { return port_; }
  /// Resolves after that time. (The loop's own clock does not advance between calls.)
  kj::Promise<void> after(kj::Duration time);

 private:
  struct Call;

  void lead(Call& call) noexcept;
  void start_calls();
  void wait();
  void finish(Call& call);
  void pass_leadership(Call& call);
  void taskFailed(kj::Exception&& exception) override;

  kj::UnixEventPort port_;
  kj::EventLoop loop_;
  kj::TaskSet tasks_;
  BusyPollTime poll_time_;  // of the leaders, one after another

  std::mutex mutex_;
  bool is_led_ = false;
  std::deque<Call*> waiting_;     // not done
  std::vector<Call*> unstarted_;  // those of them that are not started
};

}  // namespace troupe
