#include "troupe/capnp/client/heartbeat.hpp"

#include <kj/debug.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

/// The real time: a KJ loop's own clock does not advance while no thread runs the loop.
kj::TimePoint now() { return kj::systemPreciseMonotonicClock().now(); }

}  // namespace

Heartbeat::Heartbeat(
    kj::UnixEventPort& port, SocketStream& calls, kj::Own<kj::AsyncIoStream> stream,
    uint64_t incarnation, kj::Duration limit)
    : calls_(calls),
      stream_(kj::mv(stream)),
      incarnation_(incarnation),
      limit_(limit),
      last_activity_(now()),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      timer_observer_(port, timer_, kj::UnixEventPort::FdObserver::OBSERVE_READ) {}

kj::Promise<void> Heartbeat::start() {
  return send().then([this] { watch_ = watch().eagerlyEvaluate(nullptr); });
}

kj::Promise<void> Heartbeat::send() {
  return stream_->write(protocol::heartbeat.data(), protocol::heartbeat.size())
      .then([this] { return stream_->read(&answer_, sizeof answer_); })
      .then([this] {
        KJ_REQUIRE(answer_ == incarnation_, "another node answers at its address");
        last_activity_ = now();
      });
}

/// Sends a heartbeat unless one is unanswered. An error of that connection counts as silence.
void Heartbeat::send_next() {
  if (std::exchange(is_unanswered_, true)) return;
  answered_ =
      send().then([this] { is_unanswered_ = false; }).eagerlyEvaluate([](kj::Exception&&) {});
}

kj::Promise<void> Heartbeat::watch() {
  auto due = std::min(now() + limit_ / 4, last_activity_ + limit_);
  return wait_until(due)
      .then([] { return kj::evalLast([] {}); })  // first read what has arrived meanwhile
      .then([this, due]() -> kj::Promise<void> {
        update_activity(due);
        if (now() - last_activity_ >= limit_) {
          close_calls();
          return kj::READY_NOW;
        }
        send_next();
        return watch();
      });
}

/// A timerfd, since a timer of the loop would add a timeout, and so its cost, to each wait of each
/// call.
kj::Promise<void> Heartbeat::wait_until(kj::TimePoint due) {
  auto time = (due - kj::origin<kj::TimePoint>()) / kj::NANOSECONDS;
  itimerspec alarm{};
  alarm.it_value = {.tv_sec = time / 1'000'000'000, .tv_nsec = time % 1'000'000'000};
  KJ_SYSCALL(::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &alarm, nullptr));
  return timer_observer_.whenBecomesReadable();
}

/// If the timer fired much too late, the loop was not run: that time does not count as silence.
void Heartbeat::update_activity(kj::TimePoint due) {
  last_activity_ = std::max(last_activity_, calls_.last_activity());
  if (now() - due > limit_ / 4) last_activity_ = now();
}

void Heartbeat::close_calls() {
  auto silence = seconds_text(std::chrono::nanoseconds(limit_ / kj::NANOSECONDS));
  calls_.close(
      ("it has not answered for " + silence + "; it hangs, or the network to it is down").c_str());
}

}  // namespace troupe
