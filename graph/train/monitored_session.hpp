#pragma once

#include <memory>
#include <vector>

#include "troupe/graph/train/session_hook.hpp"
#include "troupe/graph/train/session_manager.hpp"

namespace troupe::train {

struct MonitoredSessionOptions {
  OpenSession open;
  Scaffold scaffold;
  bool is_chief = true;
  std::vector<std::shared_ptr<SessionHook>> hooks;
  RetryOptions retry;
};

/// A session that recovers from lost tasks. After Unavailable or Aborted it opens a new session
/// through the SessionManager and runs the step again, so a step whose answer was lost runs twice.
/// FailedPrecondition is handled in the same way, but only once between two steps that succeed: a
/// task may have restarted, without its variables, before the loss was detected. Another
/// error is one of its step alone, and further steps may follow.
///
///     auto training = train::MonitoredSession::create({open, scaffold, is_chief, hooks}, host);
///     while (!(*training)->should_stop()) { ... (*training)->run(feeds, {loss}, {train}) ... }
///     (*training)->close();
///
/// One thread at a time.
class MonitoredSession {
 public:
  /// Begins the hooks, and opens the first session. The host must outlive it.
  static Result<std::unique_ptr<MonitoredSession>> create(
      MonitoredSessionOptions options, Host& host);

  /// As BasicSession::run. After an error that is not recovered from, another step may follow.
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {});
  /// As run(), but fails where a task is lost: recover() then opens another session.
  Result<Tensors> run_once(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {});

  /// Opens a new session in place of one that has failed outside of run(), because of `why`. An
  /// error stops the training.
  Status recover(const Status& why);

  /// True once a hook or the program has stopped the training, or no session could be opened in
  /// place of a lost one: run() then fails.
  bool should_stop() const { return is_stopped_; }
  void request_stop() { is_stopped_ = true; }

  /// Ends the hooks, and closes the session. Destruction without this call closes the session only,
  /// as after an error: hooks that end would save a checkpoint, for example.
  Status close();

 private:
  MonitoredSession(MonitoredSessionOptions options, Host& host);

  /// Whether a step may follow.
  Status check_open() const;
  Status open();
  Status reopen(const Status& why);
  Result<Tensors> run_with_hooks(const StepRequest& request);
  bool is_recoverable(const Status& status);

  const bool is_chief_;
  std::vector<std::shared_ptr<SessionHook>> hooks_;
  Host& host_;
  SessionManager manager_;
  Backoff backoff_;
  std::unique_ptr<BasicSession> session_;
  bool has_retried_precondition_ =
      false;  // a FailedPrecondition, since the last step that succeeded
  bool is_stopped_ = false;
  bool is_closed_ = false;
};

}  // namespace troupe::train
