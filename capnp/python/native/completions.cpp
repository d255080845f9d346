#include "troupe/capnp/python/native/completions.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace troupe::python {

Completions::Inbox::Inbox() : descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(descriptor >= 0);
}

Completions::Inbox::~Inbox() { close(descriptor); }

void Completions::Inbox::put(Token token) {
  {
    std::lock_guard lock(mutex);
    tokens.push_back(token);
  }
  (void)eventfd_write(descriptor, 1);
}

std::vector<Completions::Token> Completions::Inbox::take() {
  eventfd_t count = 0;
  (void)eventfd_read(descriptor, &count);
  std::lock_guard lock(mutex);
  return std::exchange(tokens, {});
}

Completions::Completions(std::shared_ptr<OpenSession> session)
    : session_(std::move(session)), thread_([this] { attend(); }) {}

Completions::~Completions() {
  {
    std::lock_guard lock(mutex_);
    is_over_ = true;
    for (auto& [token, running] : running_) running.step->cancel();
  }
  changed_.notify_one();
  thread_.join();
}

void Completions::add(Token token, std::unique_ptr<PendingStep> step) {
  Step shared = std::move(step);
  {
    std::lock_guard lock(mutex_);
    running_.emplace(token, Running{shared});
  }
  changed_.notify_one();
  shared->when_done([inbox = inbox_, token] { inbox->put(token); });
}

void Completions::cancel(Token token) {
  std::unique_lock lock(mutex_);
  auto found = running_.find(token);
  auto step = found == running_.end() ? nullptr : found->second.step;
  lock.unlock();
  if (step) step->cancel();
}

std::vector<Completions::Ended> Completions::take() {
  std::vector<Ended> ended;
  for (auto token : inbox_->take()) {
    Step step;
    {
      std::lock_guard lock(mutex_);
      auto node = running_.extract(token);
      if (!node.empty()) step = std::move(node.mapped().step);
    }
    if (step) ended.push_back({token, step->wait()});
  }
  return ended;
}

/// One is enough: whoever waits for a step takes in the answers of all others of its connection.
std::pair<Completions::Token, Completions::Step> Completions::next_to_await() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_over_) return {};
    for (const auto& [token, running] : running_)
      if (!running.has_ended) return {token, running.step};
    changed_.wait(lock);
  }
}

void Completions::attend() {
  for (;;) {
    auto [token, step] = next_to_await();
    if (!step) return;
    (void)step->wait();
    std::lock_guard lock(mutex_);
    if (auto found = running_.find(token); found != running_.end()) found->second.has_ended = true;
  }
}

}  // namespace troupe::python
