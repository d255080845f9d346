#include "troupe/capnp/client/heartbeat.hpp"

#include <kj/debug.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/text.hpp"

namespace troupe {
namespace {

/// A loop's own time stands still while nobody runs it.
kj::TimePoint now() { return kj::systemPreciseMonotonicClock().now(); }

}  // namespace

Heartbeat::Heartbeat(
    kj::UnixEventPort& port, SocketStream& calls, kj::Own<SocketStream> asking,
    uint64_t incarnation, kj::Duration limit)
    : calls_(calls),
      asking_(kj::mv(asking)),
      incarnation_(incarnation),
      limit_(limit),
      last_life_(now()),
      alarm_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      alarm_observer_(port, alarm_, kj::UnixEventPort::FdObserver::OBSERVE_READ) {}

kj::Promise<void> Heartbeat::begin() {
  return ask().then([this] { watch_ = watch().eagerlyEvaluate(nullptr); });
}

kj::Promise<void> Heartbeat::ask() {
  return asking_->write(protocol::heartbeat.data(), protocol::heartbeat.size())
      .then([this] { return asking_->read(&answer_, sizeof answer_); })
      .then([this] {
        KJ_REQUIRE(answer_ == incarnation_, "another node answers at its address");
        last_life_ = now();
      });
}

/// Where that connection is lost, there is only silence.
void Heartbeat::ask_again() {
  if (std::exchange(is_asked_, true)) return;
  answered_ = ask().then([this] { is_asked_ = false; }).eagerlyEvaluate([](kj::Exception&&) {});
}

kj::Promise<void> Heartbeat::watch() {
  auto due = std::min(now() + limit_ / 4, last_life_ + limit_);
  return until(due)
      .then([] { return kj::evalLast([] {}); })  // what has come meanwhile is read first
      .then([this, due]() -> kj::Promise<void> {
        look(due);
        if (now() - last_life_ >= limit_) {
          give_up();
          return kj::READY_NOW;
        }
        ask_again();
        return watch();
      });
}

/// A timer of the loop would make each wait of each call one with a timeout, which costs a little.
kj::Promise<void> Heartbeat::until(kj::TimePoint due) {
  auto time = (due - kj::origin<kj::TimePoint>()) / kj::NANOSECONDS;
  itimerspec alarm{};
  alarm.it_value = {.tv_sec = time / 1'000'000'000, .tv_nsec = time % 1'000'000'000};
  KJ_SYSCALL(::timerfd_settime(alarm_, TFD_TIMER_ABSTIME, &alarm, nullptr));
  return alarm_observer_.whenBecomesReadable();
}

void Heartbeat::look(kj::TimePoint due) {
  last_life_ = std::max(last_life_, calls_.look_for_life());
  if (now() - due > limit_ / 4) last_life_ = now();
}

void Heartbeat::give_up() {
  auto silence = seconds_text(std::chrono::nanoseconds(limit_ / kj::NANOSECONDS));
  calls_.give_up(
      ("it has not answered for " + silence + "; it stands still, or no network leads to it")
          .c_str());
}

}  // namespace troupe
