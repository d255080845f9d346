#pragma once

#include <kj/async-unix.h>
#include <kj/async.h>
#include <kj/function.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace troupe {

/// An event loop of KJ that no thread owns: whoever waits for an answer runs it meanwhile. So an
/// answer comes to the thread that waits for it straight from the socket, without a hop from a
/// thread of the loop (which costs a third of a small step). Where several threads wait, one of
/// them runs the loop for all, and hands it on when its own answer is there.
///
/// Between calls nobody runs the loop; what then arrives waits in the socket.
class SharedLoop final : private kj::TaskSet::ErrorHandler {
 public:
  SharedLoop();
  ~SharedLoop() noexcept;

  /// Calls `start` on the loop and returns when its promise has resolved; throws the
  /// kj::Exception with which it failed. From any thread that has no event loop of its own.
  void run(kj::Function<kj::Promise<void>()> start);
  /// As run(), and returns only when nothing that can be done at once is left.
  void run_out(kj::Function<kj::Promise<void>()> start);

  /// For streams; used only within `start` and what follows from it.
  kj::UnixEventPort& port() { return port_; }
  /// Resolves after that time. (The loop's own clock stands still between calls.)
  kj::Promise<void> after(kj::Duration time);

 private:
  struct Call;

  void lead(Call& call) noexcept;
  void start_fresh();
  void finish(Call& call);
  void hand_on(Call& call);
  void taskFailed(kj::Exception&& exception) override;

  kj::UnixEventPort port_;
  kj::EventLoop loop_;
  kj::TaskSet tasks_;

  std::mutex mutex_;
  bool is_led_ = false;
  std::deque<Call*> waiting_;  // not answered
  std::vector<Call*> fresh_;   // those of them that are not started
};

}  // namespace troupe
