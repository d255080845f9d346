#pragma once

#include <functional>
#include <memory>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe::sim {

/// A call to a simulated cluster under way, as a step. Copies speak of the same.
class Call {
 public:
  bool is_done() const { return answer_->done; }
  /// For Cluster::run_until.
  std::function<bool()> done() const {
    return [answer = answer_] { return answer->done; };
  }
  /// Once it is done: how it ended, what it fetched, and when.
  const Status& status() const { return answer_->status; }
  const Tensors& values() const { return answer_->values; }
  Time ended_at() const { return answer_->ended_at; }

 private:
  friend class Session;
  friend class OpenCalls;
  struct Answer {
    bool done = false;
    Status status;
    Tensors values;
    Time ended_at{0};
    uint64_t id = 0;  // that the session knows it by
  };
  std::shared_ptr<Answer> answer_ = std::make_shared<Answer>();
};

}  // namespace troupe::sim
