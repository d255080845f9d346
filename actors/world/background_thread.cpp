#include "troupe/actors/world/background_thread.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace troupe {

struct BackgroundThread::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> waiting;
  bool is_stopping = false;
};

BackgroundThread::BackgroundThread() : queue_(std::make_shared<Queue>()) {}

BackgroundThread::~BackgroundThread() {
  std::deque<Work> dropped;  // released without the lock
  {
    std::lock_guard lock(queue_->mutex);
    queue_->is_stopping = true;
    dropped.swap(queue_->waiting);
  }
  queue_->changed.notify_one();
  // What the last work held may have held the owner of this.
  if (thread_.get_id() == std::this_thread::get_id()) thread_.detach();
  else if (thread_.joinable()) thread_.join();
}

void BackgroundThread::run(Work work) {
  std::lock_guard lock(queue_->mutex);
  queue_->waiting.push_back(std::move(work));
  if (!thread_.joinable()) thread_ = std::thread([queue = queue_] { loop(queue); });
  queue_->changed.notify_one();
}

void BackgroundThread::loop(const std::shared_ptr<Queue>& queue) {
  for (std::unique_lock lock(queue->mutex);;) {
    queue->changed.wait(lock, [&] { return queue->is_stopping || !queue->waiting.empty(); });
    if (queue->is_stopping) return;
    auto work = std::move(queue->waiting.front());
    queue->waiting.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // released without the lock
    lock.lock();
  }
}

}  // namespace troupe
