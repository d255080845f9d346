#pragma once

#include <vector>

#include "troupe/graph/session.hpp"

namespace troupe::train {

/// The arguments of a step.
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

  /// For additional steps that the hook runs.
  BasicSession& session() const { return session_; }
  /// The arguments that the program gave, without those that hooks add.
  const StepRequest& request() const { return request_; }

  /// Makes this step the last.
  void request_stop() { is_stop_requested_ = true; }
  bool is_stop_requested() const { return is_stop_requested_; }

 private:
  BasicSession& session_;
  const StepRequest& request_;
  bool is_stop_requested_ = false;
};

/// Callbacks around the steps of a MonitoredSession, which calls its hooks in the order given. An
/// error of a hook is handled as one of the step: it leads to a new session, or is that of run().
class SessionHook {
 public:
  virtual ~SessionHook() = default;

  /// Once, before the first session.
  virtual Status begin() { return {}; }
  /// For each session, when the variables have values.
  virtual Status after_create_session(BasicSession& session) { return {}; }
  /// Returns feeds, fetches and targets to add to the step.
  virtual StepRequest before_run(StepContext& step) { return {}; }
  /// After a step that succeeded, with the values of before_run's fetches.
  virtual Status after_run(StepContext& step, const Tensors& fetched) { return {}; }
  /// When the session is closed, not where it is only destroyed.
  virtual Status end(BasicSession& session) { return {}; }
};

}  // namespace troupe::train
