#include "troupe/capnp/python/native/completions.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace troupe::python {

Completions::EndedSteps::EndedSteps() : descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(descriptor >= 0);
}

Completions::EndedSteps::~EndedSteps() { close(descriptor); }

void Completions::EndedSteps::put(Token token) {
  {
    std::lock_guard lock(mutex);
    tokens.push_back(token);
  }
  (void)eventfd_write(descriptor, 1);
}

std::vector<Completions::Token> Completions::EndedSteps::take() {
  eventfd_t count = 0;
  (void)eventfd_read(descriptor, &count);
  std::lock_guard lock(mutex);
  return std::exchange(tokens, {});
}

Completions::Completions(std::shared_ptr<OpenSession> session)
    : session_(std::move(session)), thread_([this] { wait_for_steps(); }) {}

Completions::~Completions() {
  {
    std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (auto& [token, running] : running_) running.step->cancel();
  }
  changed_.notify_one();
  thread_.join();
}

void Completions::add(Token token, std::unique_ptr<PendingStep> step) {
  Step shared = std::move(step);
  {
    std::lock_guard lock(mutex_);
    // A local step ends by itself, and a thread that waited for it would share its values.
    running_.emplace(token, Running{shared, /*needs_no_wait=*/!session_->is_remote()});
  }
  changed_.notify_one();
  shared->when_done([ended = ended_, token] { ended->put(token); });
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
  for (auto token : ended_->take()) {
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

/// Waiting for one step is enough: the wait receives the results of all steps of the connection.
std::pair<Completions::Token, Completions::Step> Completions::next_running() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_closing_) return {};
    for (const auto& [token, running] : running_)
      if (!running.needs_no_wait) return {token, running.step};
    changed_.wait(lock);
  }
}

void Completions::wait_for_steps() {
  for (;;) {
    auto [token, step] = next_running();
    if (!step) return;
    (void)step->wait();
    std::lock_guard lock(mutex_);
    if (auto found = running_.find(token); found != running_.end())
      found->second.needs_no_wait = true;
  }
}

}  // namespace troupe::python
