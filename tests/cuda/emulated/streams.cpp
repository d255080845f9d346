#include "troupe/tests/cuda/emulated/streams.hpp"

#include <utility>

#include "troupe/tests/cuda/emulated/state.hpp"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace troupe::emulated {

#ifdef __SANITIZE_THREAD__
static char seen_ends;  // only its address matters
void note_seen_end() { __tsan_release(&seen_ends); }
void note_start() { __tsan_acquire(&seen_ends); }
#else
void note_seen_end() {}
void note_start() {}
#endif

void Point::reach() {
  std::lock_guard lock(mutex_);
  is_reached_ = true;
  changed_.notify_all();
}

void Point::wait() {
  HostWork waits;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_reached_; });
}

bool Point::is_reached() {
  std::lock_guard lock(mutex_);
  return is_reached_;
}

Stream::Stream() : thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Stream::put(Work work) {
  note_start();
  if (captured_) return captured_->push_back(std::move(work));
  std::lock_guard lock(mutex_);
  works_.push_back(std::move(work));
  changed_.notify_all();
}

std::shared_ptr<Point> Stream::record() {
  auto point = std::make_shared<Point>(is_captured() ? this : nullptr);
  put([point] { point->reach(); });
  return point;
}

std::shared_ptr<Point> Stream::end_of_works() {
  auto point = std::make_shared<Point>(nullptr);
  std::lock_guard lock(mutex_);
  works_.push_back([point] { point->reach(); });
  changed_.notify_all();
  return point;
}

void Stream::begin_capture() {
  captured_.emplace();
  is_lost_ = false;
}

std::optional<Works> Stream::end_capture() {
  auto works = std::exchange(captured_, std::nullopt);
  return is_lost_ ? std::nullopt : std::move(works);
}

bool Stream::is_done() {
  std::lock_guard lock(mutex_);
  return works_.empty();
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return has_ended_ || !works_.empty(); });
    if (works_.empty()) return;
    auto& work = works_.front();
    lock.unlock();
    {
      CardWork of_card;
      work();
    }
    lock.lock();
    works_.pop_front();
  }
}

}  // namespace troupe::emulated
