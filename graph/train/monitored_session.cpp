#include "troupe/graph/train/monitored_session.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/support/text.hpp"

namespace troupe::train {
namespace {

/// "x" is another way to write "x:0".
std::string output_name(const Ref& ref) {
  return ref.name.find(':') == std::string::npos ? ref.name + ":0" : ref.name;
}

/// Adds a hook's feeds, fetches and targets to the step.
Status add(StepRequest& whole, const StepRequest& part) {
  for (const auto& feed : part.feeds) {
    auto name = output_name(feed.output);
    if (std::ranges::count(whole.feeds, name, [](const Feed& f) { return output_name(f.output); }))
      return invalid_argument(quote(feed.output.name) + " is fed by two: hooks, or the program");
    whole.feeds.push_back(feed);
  }
  whole.fetches.insert(whole.fetches.end(), part.fetches.begin(), part.fetches.end());
  whole.targets.insert(whole.targets.end(), part.targets.begin(), part.targets.end());
  whole.options.timeout = std::max(whole.options.timeout, part.options.timeout);
  return {};
}

}  // namespace

MonitoredSession::MonitoredSession(MonitoredSessionOptions options, Host& host)
    : is_chief_(options.is_chief),
      hooks_(std::move(options.hooks)),
      host_(host),
      manager_(std::move(options.open), std::move(options.scaffold), host, options.retry),
      backoff_(host, options.retry) {}

Result<std::unique_ptr<MonitoredSession>> MonitoredSession::create(
    MonitoredSessionOptions options, Host& host) {
  std::unique_ptr<MonitoredSession> session(new MonitoredSession(std::move(options), host));
  for (const auto& hook : session->hooks_)
    if (auto status = hook->begin(); !status.ok()) return status;
  session->backoff_.begin();
  if (auto status = session->open(); !status.ok()) return status;
  session->backoff_.reset();
  return session;
}

/// Retries, with backoff, until a session is open or the error is not retryable.
Status MonitoredSession::open() {
  for (;;) {
    auto limit = backoff_.attempt_limit();
    auto session = is_chief_ ? manager_.try_to_prepare_session(limit)
                             : manager_.try_to_find_ready_session(limit);
    auto status = session.status();
    for (const auto& hook : hooks_)
      if (status.ok()) status = hook->after_create_session(**session);
    if (status.ok()) {
      session_ = *std::move(session);
      return {};
    }
    if (!backoff_.may_wait_after(status)) return status;
    if (auto over = backoff_.wait(status); !over.ok()) return over;
  }
}

Status MonitoredSession::check_open() const {
  if (is_closed_) return failed_precondition("the session is closed");
  if (is_stopped_) return failed_precondition("the training has been stopped, no step may follow");
  return {};
}

Result<Tensors> MonitoredSession::run_once(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  if (auto status = check_open(); !status.ok()) return status;
  auto answer = run_with_hooks({feeds, fetches, targets, options});
  if (answer) has_retried_precondition_ = false;
  return answer;
}

Result<Tensors> MonitoredSession::run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  if (auto status = check_open(); !status.ok()) return status;
  const StepRequest request{feeds, fetches, targets, options};
  for (;;) {
    auto answer = run_with_hooks(request);
    if (answer) {
      backoff_.reset();
      has_retried_precondition_ = false;
      return answer;
    }
    auto status = answer.status();
    if (!is_recoverable(status)) return status;
    if (status = reopen(status); !status.ok()) return status;
  }
}

Status MonitoredSession::recover(const Status& why) {
  if (is_closed_) return failed_precondition("the session is closed");
  auto status = reopen(why);
  if (status.ok()) backoff_.reset();
  return status;
}

Status MonitoredSession::reopen(const Status& why) {
  session_.reset();
  auto status = backoff_.wait(why);
  if (status.ok()) status = open();
  if (!status.ok()) is_stopped_ = true;
  return status;
}

Result<Tensors> MonitoredSession::run_with_hooks(const StepRequest& request) {
  StepContext context(*session_, request);
  auto whole = request;
  std::vector<size_t> ends;  // of each hook's fetches
  for (const auto& hook : hooks_) {
    if (auto status = add(whole, hook->before_run(context)); !status.ok()) return status;
    ends.push_back(whole.fetches.size());
  }
  auto fetched = session_->run(whole.feeds, whole.fetches, whole.targets, whole.options);
  if (!fetched) return fetched;
  auto begin = request.fetches.size();
  for (size_t i = 0; i < hooks_.size(); ++i) {
    Tensors part(fetched->begin() + begin, fetched->begin() + ends[i]);
    if (auto status = hooks_[i]->after_run(context, part); !status.ok()) return status;
    begin = ends[i];
  }
  if (context.is_stop_requested()) request_stop();
  fetched->resize(request.fetches.size());
  return fetched;
}

bool MonitoredSession::is_recoverable(const Status& status) {
  if (is_retryable(status)) return true;
  return status.code() == Code::failed_precondition &&
         !std::exchange(has_retried_precondition_, true);
}

Status MonitoredSession::close() {
  is_stopped_ = true;
  if (std::exchange(is_closed_, true) || !session_) return {};
  Status first;
  for (const auto& hook : hooks_)
    if (first.ok()) first = hook->end(*session_);
  auto closed = session_->close();
  session_.reset();
  return first.ok() ? closed : first;
}

}  // namespace troupe::train
