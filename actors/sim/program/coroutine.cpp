#include "troupe/actors/sim/program/coroutine.hpp"

#include "troupe/actors/logger_scope.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe::sim {

Coroutine::~Coroutine() {
  CHECK(!has_begun() || has_ended());
  if (thread_.joinable()) thread_.join();
}

void Coroutine::resume() {
  CHECK(!has_ended_);
  std::unique_lock lock(mutex_);
  is_running_ = true;
  if (has_begun()) resumed_.notify_one();
  else thread_ = std::thread([this] { run(); });
  suspended_.wait(lock, [this] { return !is_running_; });
}

void Coroutine::suspend() {
  std::unique_lock lock(mutex_);
  is_running_ = false;
  suspended_.notify_one();
  resumed_.wait(lock, [this] { return is_running_; });
}

void Coroutine::run() {
  {
    LoggerScope logger_scope;  // it runs actors' handles
    body_();
    body_ = nullptr;
  }
  std::lock_guard lock(mutex_);
  has_ended_ = true;
  is_running_ = false;
  suspended_.notify_one();
}

}  // namespace troupe::sim
