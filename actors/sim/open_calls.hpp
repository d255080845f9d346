#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "troupe/actors/sim/call.hpp"

namespace troupe::sim {

/// The calls of clients to one life of a task that are not answered yet. The first answer to a call
/// counts.
class OpenCalls {
 public:
  /// An end of the wire to a client: whoever has it can answer the call. When the last one is gone
  /// without an answer, nobody was there to take the call.
  class Answerer {
   public:
    Answerer(std::shared_ptr<Call::Answer> answer, std::function<Time()> now)
        : answer_(std::move(answer)), now_(std::move(now)) {}
    ~Answerer() { end(failed_precondition("the session is closed")); }
    Answerer(const Answerer&) = delete;

    void end(Status status, Tensors values = {}) {
      if (answer_->done) return;
      answer_->done = true;
      answer_->status = std::move(status);
      answer_->values = std::move(values);
      answer_->ended_at = now_();
    }
    bool is_done() const { return answer_->done; }

   private:
    std::shared_ptr<Call::Answer> answer_;
    std::function<Time()> now_;
  };

  std::shared_ptr<Answerer> add(const Call& call, std::function<Time()> now) {
    std::erase_if(open_, [](const auto& open) { return open.expired(); });
    auto answerer = std::make_shared<Answerer>(call.answer_, std::move(now));
    open_.push_back(answerer);
    return answerer;
  }

  void end_all(const Status& status) {
    for (const auto& open : std::exchange(open_, {}))
      if (auto answerer = open.lock()) answerer->end(status);
  }

 private:
  std::vector<std::weak_ptr<Answerer>> open_;
};

}  // namespace troupe::sim
