#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "troupe/actors/session/session_end.hpp"
#include "troupe/actors/sim/call.hpp"

namespace troupe::sim {

/// The pending calls of clients to one process of a task. Only the first answer to a call counts.
class OpenCalls {
 public:
  /// Answers a call. If all its owners drop it unanswered, the session actor that they belonged to
  /// has terminated, and the call fails as `end` says.
  class Promise {
   public:
    Promise(
        std::shared_ptr<Call::State> state, std::function<Time()> now,
        std::shared_ptr<const SessionEnd> end = std::make_shared<SessionEnd>())
        : state_(std::move(state)), now_(std::move(now)), end_(std::move(end)) {}
    ~Promise() { resolve(end_->status()); }
    Promise(const Promise&) = delete;

    void resolve(Status status, Tensors values = {}) {
      if (state_->done) return;
      state_->done = true;
      state_->status = std::move(status);
      state_->values = std::move(values);
      state_->ended_at = now_();
      if (auto call = std::exchange(state_->when_done, nullptr)) call();
    }
    void add(RunMetadata metadata) {
      if (!state_->done) state_->metadata = std::move(metadata);
    }
    bool is_done() const { return state_->done; }

   private:
    std::shared_ptr<Call::State> state_;
    std::function<Time()> now_;
    std::shared_ptr<const SessionEnd> end_;
  };

  std::shared_ptr<Promise> add(
      const Call& call, std::function<Time()> now, std::shared_ptr<const SessionEnd> end) {
    std::erase_if(open_, [](const auto& open) { return open.expired(); });
    auto promise = std::make_shared<Promise>(call.state_, std::move(now), std::move(end));
    open_.push_back(promise);
    return promise;
  }

  void fail_all(const Status& status) {
    for (const auto& open : std::exchange(open_, {}))
      if (auto promise = open.lock()) promise->resolve(status);
  }

 private:
  std::vector<std::weak_ptr<Promise>> open_;
};

}  // namespace troupe::sim
