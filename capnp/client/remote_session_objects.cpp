#include "troupe/capnp/client/remote_session_objects.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe {
namespace {

class RemoteCallable final : public Callable {
 public:
  RemoteCallable(
      std::shared_ptr<Connection> connection, rpc::Callable::Client callable,
      const RunOptions& options)
      : connection_(std::move(connection)), callable_(kj::mv(callable)), options_(options) {}
  ~RemoteCallable() noexcept override {
    connection_->release([this] { callable_.reset(); });
  }

  Result<Tensors> run(const Tensors& feeds) override {
    if (auto status = check(feeds); !status.ok()) return status;
    return run_remote_step(*connection_, options_.timeout, [&] { return send(feeds); });
  }
  std::unique_ptr<PendingStep> start(const Tensors& feeds) override {
    if (auto status = check(feeds); !status.ok()) return make_failed_step(std::move(status));
    return start_remote_step(connection_, options_.timeout, [&] { return send(feeds); });
  }

 private:
  Status check(const Tensors& feeds) const {
    auto unset = std::ranges::find_if_not(feeds, &Tensor::is_set);
    if (unset == feeds.end()) return check_sendable(feeds, connection_->takes_sources());
    return invalid_argument(
        "feed number " + std::to_string(unset - feeds.begin()) + " holds no tensor");
  }

  StepPromise send(const Tensors& feeds) {
    auto request = callable_->runRequest();
    auto segment_budget = segment_budget_for_values(*connection_->memory());
    fill(request.initFeeds(static_cast<unsigned>(feeds.size())), feeds, segment_budget);
    fill(request.initOptions(), options_);
    return request.send();
  }

  std::shared_ptr<Connection> connection_;
  std::optional<rpc::Callable::Client> callable_;  // used and destroyed on the loop
  const RunOptions options_;
};

class RemotePartialRun final : public PartialRun {
 public:
  RemotePartialRun(std::shared_ptr<Connection> connection, rpc::PartialRun::Client partial_run)
      : connection_(std::move(connection)), partial_run_(kj::mv(partial_run)) {
    auto end = kj::newPromiseAndFulfiller<void>();
    end_ = kj::mv(end.fulfiller);
    ended_ = end.promise.fork();
  }
  ~RemotePartialRun() noexcept override { cancel(); }

  Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) override {
    auto status = check_sendable_feeds(feeds, connection_->takes_sources());
    if (!status.ok()) return status;
    Result<Tensors> values = cancelled("the partial run was cancelled");
    status = connection_->run([&]() -> kj::Promise<void> {
      if (!partial_run_) return kj::READY_NOW;
      auto answered = send(feeds, fetches).then([&](auto response) {
        return take_values(*connection_, response, values);
      });
      return answered.exclusiveJoin(ended_->addBranch());
    });
    return status.ok() ? values : status;
  }
  void cancel() override {
    connection_->release([this] {
      if (!partial_run_) return;
      partial_run_.reset();
      end_->fulfill();
      end_ = nullptr;
      ended_.reset();
    });
  }

 private:
  StepPromise send(const std::vector<Feed>& feeds, const Refs& fetches) {
    auto request = partial_run_->runRequest();
    auto segment_budget = segment_budget_for_values(*connection_->memory());
    fill(request.initFeeds(static_cast<unsigned>(feeds.size())), feeds, segment_budget);
    auto names = request.initFetches(static_cast<unsigned>(fetches.size()));
    for (unsigned i = 0; i < fetches.size(); ++i) names.set(i, fetches[i].name);
    return request.send();
  }

  std::shared_ptr<Connection> connection_;
  // Used and destroyed on the loop; empty once the partial run is cancelled.
  std::optional<rpc::PartialRun::Client> partial_run_;
  kj::Own<kj::PromiseFulfiller<void>> end_;
  std::optional<kj::ForkedPromise<void>> ended_;
};

}  // namespace

std::unique_ptr<Callable> make_remote_callable(
    std::shared_ptr<Connection> connection, rpc::Callable::Client callable,
    const RunOptions& options) {
  return std::make_unique<RemoteCallable>(std::move(connection), kj::mv(callable), options);
}

std::unique_ptr<PartialRun> make_remote_partial_run(
    std::shared_ptr<Connection> connection, rpc::PartialRun::Client partial_run) {
  return std::make_unique<RemotePartialRun>(std::move(connection), kj::mv(partial_run));
}

}  // namespace troupe
