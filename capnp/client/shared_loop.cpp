#include "troupe/capnp/client/shared_loop.hpp"

#include <kj/debug.h>

#include <algorithm>
#include <utility>

#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

// The loop polls its sockets, and starts the calls of other threads, at least once in so many
// events.
constexpr int events_between_polls = 64;

}  // namespace

/// On the stack of the thread that waits for it.
struct SharedLoop::Call {
  kj::Function<kj::Promise<void>()>& start;
  bool runs_until_idle = false;
  kj::Maybe<kj::Exception> error;
  bool is_done = false;
  bool is_leader = false;
  std::condition_variable changed;
};

SharedLoop::SharedLoop() : loop_(port_), tasks_(*this) {}

SharedLoop::~SharedLoop() noexcept {
  CHECK(waiting_.empty());
  kj::WaitScope scope(loop_);
  while (loop_.isRunnable()) loop_.run();
}

void SharedLoop::run(kj::Function<kj::Promise<void>()> start) {
  Call call{.start = start};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&call);
  unstarted_.push_back(&call);
  if (is_led_) {
    port_.wake();
    call.changed.wait(lock, [&call] { return call.is_done || call.is_leader; });
  }
  if (!call.is_done) {
    is_led_ = true;
    lock.unlock();
    lead(call);
    lock.lock();
    pass_leadership(call);
  }
  KJ_IF_MAYBE (error, call.error) kj::throwFatalException(kj::mv(*error));
}

void SharedLoop::run_until_idle(kj::Function<kj::Promise<void>()> start) {
  run([&start] { return start().then([] { return kj::evalLast([] {}); }); });
}

kj::Promise<void> SharedLoop::after(kj::Duration time) {
  return port_.getTimer().atTime(kj::systemPreciseMonotonicClock().now() + time);
}

void SharedLoop::lead(Call& call) noexcept {
  kj::WaitScope scope(loop_);
  start_calls();
  while (!call.is_done) {
    // One event at a time, so that an answer returns before less urgent events, such as sending the
    // Finish message of its call.
    for (int i = 0; i < events_between_polls && !call.is_done && loop_.isRunnable(); ++i)
      loop_.run(1);
    if (call.is_done) break;
    if (loop_.isRunnable()) port_.poll();  // what arrives fast enough makes events without end
    else wait();
    start_calls();
  }
}

/// Returns when there is an event, or a call to start.
void SharedLoop::wait() {
  auto begin = BusyPollTime::Clock::now();
  if (poll_time_.poll([this] { return port_.poll() || loop_.isRunnable(); })) return;
  port_.wait();
  poll_time_.waited(BusyPollTime::Clock::now() - begin);
}

void SharedLoop::start_calls() {
  std::vector<Call*> calls;
  {
    std::lock_guard lock(mutex_);
    calls = std::exchange(unstarted_, {});
  }
  for (auto* call : calls)
    tasks_.add(kj::evalNow([call] { return call->start(); })
                   .then(
                       [this, call] { finish(*call); },
                       [this, call](kj::Exception&& error) {
                         call->error = kj::mv(error);
                         finish(*call);
                       }));
}

/// As soon as the lock is released, the waiting thread may return and destroy the call.
void SharedLoop::finish(Call& call) {
  std::lock_guard lock(mutex_);
  waiting_.erase(std::ranges::find(waiting_, &call));
  call.is_done = true;
  call.changed.notify_one();
}

void SharedLoop::pass_leadership(Call& call) {
  CHECK(call.is_done);
  is_led_ = !waiting_.empty();
  if (!is_led_) return;
  waiting_.front()->is_leader = true;
  waiting_.front()->changed.notify_one();
}

void SharedLoop::taskFailed(kj::Exception&&) {}

}  // namespace troupe
