#pragma once

#include <functional>
#include <memory>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::sim {

/// A pending call to a simulated cluster, such as a step. Copies share its state.
class Call {
 public:
  bool is_done() const { return state_->done; }
  /// For Cluster::run_until.
  std::function<bool()> done() const {
    return [state = state_] { return state->done; };
  }
  /// Valid once it is done: the status, the fetched values, and the time of the answer.
  const Status& status() const { return state_->status; }
  const Tensors& values() const { return state_->values; }
  Time ended_at() const { return state_->ended_at; }

 private:
  friend class Session;
  friend struct SessionState;
  friend class ClientStep;
  friend class OpenCalls;
  struct State {
    bool done = false;
    Status status;
    Tensors values;
    Time ended_at{0};
    uint64_t id = 0;  // CallId at the session actor
    RunMetadata metadata;
    std::function<void()> when_done;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace troupe::sim
