#include "troupe/actors/world/background_thread.hpp"

#include <utility>

namespace troupe {

BackgroundThread::~BackgroundThread() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void BackgroundThread::run(Work work) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  changed_.notify_one();
}

void BackgroundThread::loop() {
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (is_stopping_) return;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // released without the lock
    lock.lock();
  }
}

}  // namespace troupe
