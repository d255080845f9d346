#pragma once

#include <vector>

#include "troupe/graph/session.hpp"

namespace troupe::train {

/// What a step computes.
struct StepRequest {
  std::vector<Feed> feeds;
  std::vector<Ref> fetches;
  std::vector<Ref> targets;
  RunOptions options;
};

/// A step, as hooks see it.
class StepContext {
 public:
  StepContext(BasicSession& session, const StepRequest& request)
      : session_(session), request_(request) {}

  /// For steps of the hook's own.
  BasicSession& session() const { return session_; }
  /// What the program asked for, without what hooks add.
  const StepRequest& request() const { return request_; }

  /// The step is the last.
  void request_stop() { is_stop_requested_ = true; }
  bool is_stop_requested() const { return is_stop_requested_; }

 private:
  BasicSession& session_;
  const StepRequest& request_;
  bool is_stop_requested_ = false;
};

/// What is to be done around the steps of a MonitoredSession; it calls hooks in the order that they
/// were given to it. An error ends the training, but for those of lost tasks, after which there is
/// a new session.
class SessionHook {
 public:
  virtual ~SessionHook() = default;

  /// Once, before the first session.
  virtual Status begin() { return {}; }
  /// For each session, when the variables have values.
  virtual Status after_create_session(BasicSession& session) { return {}; }
  /// What the step is to compute besides.
  virtual StepRequest before_run(StepContext& step) { return {}; }
  /// After a step that succeeded, with the values of before_run's fetches.
  virtual Status after_run(StepContext& step, const Tensors& fetched) { return {}; }
  /// After the last step, unless an error ended the training.
  virtual Status end(BasicSession& session) { return {}; }
};

}  // namespace troupe::train
