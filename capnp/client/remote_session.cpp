#include "troupe/capnp/client/remote_session.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "troupe/capnp/client/remote_session_objects.hpp"
#include "troupe/capnp/client/remote_step.hpp"
#include "troupe/capnp/convert/convert_explanation.hpp"
#include "troupe/capnp/convert/convert_runners.hpp"
#include "troupe/graph/sent_graph.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;

Status check(const RunOptions& options) {
  if (options.timeout.count() >= 0) return Status();
  return invalid_argument("a timeout is not negative");
}

class RemoteSession final : public Session {
 public:
  RemoteSession(
      std::shared_ptr<Connection> connection, rpc::Session::Client session,
      milliseconds operation_timeout, std::vector<std::string> warnings)
      : connection_(std::move(connection)),
        session_(kj::mv(session)),
        operation_timeout_(operation_timeout),
        warnings_(std::move(warnings)) {}
  ~RemoteSession() noexcept override {
    connection_->release([this] { session_.reset(); });
  }

  using Session::extend;
  Status extend(const Graph& graph) override;
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override;
  std::unique_ptr<PendingStep> start(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override;
  Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override;
  Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override;
  Result<StepExplanation> explain(
      const Refs& feeds, const Refs& fetches, const Refs& targets) override;
  Status start_runner(const std::string& name, const RunnerSpec& spec) override;
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Status close() override;

 private:
  Status send_nodes(const Graph& graph);
  StepPromise send_run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options);
  Status check_step(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) const {
    if (auto status = check(options); !status.ok()) return status;
    if (auto status = sent_.check(feeds, fetches, targets); !status.ok()) return status;
    return check_sendable_feeds(feeds, connection_->takes_sources());
  }
  Status check_step(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) const {
    if (auto status = check(options); !status.ok()) return status;
    if (auto status = sent_.check(feeds); !status.ok()) return status;
    return sent_.check({}, fetches, targets);
  }
  /// The options, with the session's timeout if they have none.
  RunOptions effective(RunOptions options) const {
    if (options.timeout.count() == 0) options.timeout = operation_timeout_;
    return options;
  }

  std::shared_ptr<Connection> connection_;
  std::optional<rpc::Session::Client> session_;  // used and destroyed on the connection's loop
  const milliseconds operation_timeout_;
  const std::vector<std::string> warnings_;
  std::mutex mutex_;  // one extension at a time
  SentGraph sent_;
};

void fill_names(capnp::List<capnp::Text>::Builder to, const Refs& refs) {
  for (unsigned i = 0; i < refs.size(); ++i) to.set(i, refs[i].name);
}

/// Fills what a request for a callable and one for a partial run have in common.
template <class Request>
void fill_step(
    Request& request, const Refs& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  fill_names(request.initFeeds(static_cast<unsigned>(feeds.size())), feeds);
  fill_names(request.initFetches(static_cast<unsigned>(fetches.size())), fetches);
  fill_names(request.initTargets(static_cast<unsigned>(targets.size())), targets);
  fill(request.initOptions(), options);
}

Status RemoteSession::extend(const Graph& graph) {
  std::lock_guard lock(mutex_);
  if (auto status = sent_.check(graph); !status.ok()) return status;
  if (sent_.has_all_of(graph)) return {};
  auto status = send_nodes(graph);
  if (status.ok()) sent_.set(graph);
  return status;
}

Status RemoteSession::send_nodes(const Graph& graph) {
  Status answer;
  auto status = connection_->run_within(operation_timeout_, [&] {
    auto request = session_->extendRequest();
    request.setExpectedSize(static_cast<uint64_t>(sent_.size()));
    auto nodes = request.initNodes(static_cast<unsigned>(graph.size() - sent_.size()));
    ExternalSegmentBudget segment_budget{.memory = connection_->memory().get()};
    for (auto id = sent_.size(); id < graph.size(); ++id)
      fill(nodes[static_cast<unsigned>(id - sent_.size())], graph.def_of(id), segment_budget);
    auto functions = graph.library().defs_from(sent_.functions());
    if (!functions.empty())
      fill(
          request.initFunctions(static_cast<unsigned>(functions.size())), functions,
          segment_budget);
    return request.send().then([&](auto response) { answer = to_status(response.getStatus()); });
  });
  return status.ok() ? answer : status;
}

StepPromise RemoteSession::send_run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  auto request = session_->runRequest();
  auto segment_budget = segment_budget_for_values(*connection_->memory());
  fill(request.initFeeds(static_cast<unsigned>(feeds.size())), feeds, segment_budget);
  fill_names(request.initFetches(static_cast<unsigned>(fetches.size())), fetches);
  fill_names(request.initTargets(static_cast<unsigned>(targets.size())), targets);
  fill(request.initOptions(), options);
  return request.send();
}

Result<Tensors> RemoteSession::run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  if (auto status = check_step(feeds, fetches, targets, options); !status.ok()) return status;
  auto limited = effective(options);
  return run_remote_step(
      *connection_, limited.timeout, [&] { return send_run(feeds, fetches, targets, limited); });
}

std::unique_ptr<PendingStep> RemoteSession::start(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  if (auto status = check_step(feeds, fetches, targets, options); !status.ok())
    return make_failed_step(std::move(status));
  auto limited = effective(options);
  return start_remote_step(
      connection_, limited.timeout, [&] { return send_run(feeds, fetches, targets, limited); });
}

Result<std::unique_ptr<Callable>> RemoteSession::make_callable(
    const Refs& feeds, const Refs& fetches, const Refs& targets, const RunOptions& options) {
  if (auto status = check_step(feeds, fetches, targets, options); !status.ok()) return status;
  auto limited = effective(options);
  Result<std::unique_ptr<Callable>> result = internal("no answer");
  auto status = connection_->run_within(limited.timeout, [&] {
    auto request = session_->makeCallableRequest();
    fill_step(request, feeds, fetches, targets, limited);
    return request.send().then([&](auto response) {
      auto failed = to_status(response.getStatus());
      if (!failed.ok()) result = failed;
      else result = make_remote_callable(connection_, response.getCallable(), limited);
    });
  });
  if (!status.ok()) return status;
  return result;
}

Result<std::unique_ptr<PartialRun>> RemoteSession::partial_run_setup(
    const Refs& feeds, const Refs& fetches, const Refs& targets, const RunOptions& options) {
  if (auto status = check_step(feeds, fetches, targets, options); !status.ok()) return status;
  auto limited = effective(options);
  Result<std::unique_ptr<PartialRun>> result = internal("no answer");
  auto status = connection_->run_within(limited.timeout, [&] {
    auto request = session_->setUpPartialRunRequest();
    fill_step(request, feeds, fetches, targets, limited);
    return request.send().then([&](auto response) {
      auto failed = to_status(response.getStatus());
      if (!failed.ok()) result = failed;
      else result = make_remote_partial_run(connection_, response.getPartialRun());
    });
  });
  if (!status.ok()) return status;
  return result;
}

Result<StepExplanation> RemoteSession::explain(
    const Refs& feeds, const Refs& fetches, const Refs& targets) {
  if (auto status = check_step(feeds, fetches, targets, {}); !status.ok()) return status;
  Result<StepExplanation> result = internal("no answer");
  auto status = connection_->run_within(operation_timeout_, [&] {
    auto request = session_->explainRequest();
    fill_names(request.initFeeds(static_cast<unsigned>(feeds.size())), feeds);
    fill_names(request.initFetches(static_cast<unsigned>(fetches.size())), fetches);
    fill_names(request.initTargets(static_cast<unsigned>(targets.size())), targets);
    return request.send().then([&](auto response) {
      auto failed = to_status(response.getStatus());
      if (!failed.ok()) result = failed;
      else result = to_step_explanation(response.getExplanation());
    });
  });
  if (!status.ok()) return status;
  return result;
}

Status RemoteSession::start_runner(const std::string& name, const RunnerSpec& spec) {
  Status answer;
  auto status = connection_->run_within(operation_timeout_, [&] {
    auto request = session_->startRunnerRequest();
    request.setName(name);
    fill(request, spec);
    return request.send().then([&](auto response) { answer = to_status(response.getStatus()); });
  });
  return status.ok() ? answer : status;
}

Status RemoteSession::close() {
  Status answer;
  auto status = connection_->run_within(operation_timeout_, [&] {
    return session_->closeRequest().send().then(
        [&](auto response) { answer = to_status(response.getStatus()); });
  });
  return status.ok() ? answer : status;
}

}  // namespace

std::unique_ptr<Session> make_remote_session(
    std::shared_ptr<Connection> connection, rpc::Session::Client session,
    milliseconds operation_timeout, std::vector<std::string> warnings) {
  return std::make_unique<RemoteSession>(
      std::move(connection), kj::mv(session), operation_timeout, std::move(warnings));
}

}  // namespace troupe
