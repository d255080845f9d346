#include "troupe/capnp/client/remote_step.hpp"

#include <atomic>
#include <optional>
#include <utility>

namespace troupe {
namespace {

/// Until it is final, its fields are used on the connection's loop only.
class RemoteStep final : public PendingStep {
 public:
  explicit RemoteStep(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  ~RemoteStep() noexcept override {
    if (is_final_ && !ended_) return;
    connection_->release([this] {
      cancel_ = nullptr;
      notification_ = nullptr;
      ended_.reset();
    });
  }

  void start(std::chrono::milliseconds timeout, SendStep send) {
    auto status = connection_->run_until_idle([&] {
      auto answered = send().then([this](auto response) {
        if (auto metadata = to_run_metadata(response.getMetadata())) metadata_ = *metadata;
        return take_values(*connection_, response, values_).then([this] { is_done_ = true; });
      });
      auto observed = answered.catch_([this](kj::Exception&& error) -> kj::Promise<void> {
        has_failed_ = true;
        return kj::mv(error);
      });
      auto call = connection_->with_timeout(
          kj::mv(observed), timeout, [this](Status late) { end(std::move(late)); });
      auto early = kj::newPromiseAndFulfiller<void>();
      cancel_ = kj::mv(early.fulfiller);
      ended_ = call.exclusiveJoin(kj::mv(early.promise)).fork();
    });
    if (!status.ok()) end(std::move(status));
  }

  bool done() override {
    if (is_final_) return true;
    connection_->poll();
    bool is_done = false;
    auto status = connection_->run_until_idle([&] { is_done = is_done_ || has_failed_; });
    return is_done || !status.ok();
  }

  bool wait_for(std::chrono::milliseconds time) override {
    if (is_final_) return true;
    bool is_done = false;
    auto status = connection_->run([&]() -> kj::Promise<void> {
      auto ended = is_done_ ? kj::Promise<void>(kj::READY_NOW)
                            : ended_->addBranch().exclusiveJoin(connection_->after(time));
      return ended.then([&] {
        is_done = is_done_;
        if (is_done) make_final();
      });
    });
    return is_done || !status.ok();
  }

  void when_done(std::function<void()> call) override {
    if (is_final_) return call();
    auto status = connection_->run_until_idle([&] {
      callback_ = std::move(call);
      if (is_done_) return notify();
      notification_ = ended_->addBranch()
                          .then([this] { notify(); }, [this](kj::Exception&&) { notify(); })
                          .eagerlyEvaluate(nullptr);
    });
    if (!status.ok() && call) call();
  }

  Result<Tensors> wait() override {
    if (is_final_) return values_;
    Result<Tensors> values = Tensors();
    auto status = connection_->run([&]() -> kj::Promise<void> {
      auto ended = is_done_ ? kj::Promise<void>(kj::READY_NOW) : ended_->addBranch();
      return ended.then([this, &values] {
        values = values_;
        make_final();
      });
    });
    if (!status.ok()) return status;
    return values;
  }

  void cancel() override {
    if (is_final_) return;
    (void)connection_->run_until_idle([this] {
      end(cancelled("the caller cancelled the step"));
      if (cancel_) cancel_->fulfill();
    });
  }

  RunMetadata metadata() override {
    if (is_final_) return metadata_;
    RunMetadata metadata;
    (void)connection_->run_until_idle([&] { metadata = metadata_; });
    return metadata;
  }

 private:
  void end(Status status) {
    if (std::exchange(is_done_, true)) return;
    values_ = std::move(status);
  }

  void notify() {
    if (auto call = std::exchange(callback_, nullptr)) call();
  }

  /// Called when the step has ended and was waited for. The result does not change any more, and
  /// any thread may read it without running the loop, which would cost a tenth of a small step. The
  /// loop stops with the wait, so that it would not come to the callback of when_done().
  void make_final() {
    cancel_ = nullptr;
    notification_ = nullptr;
    ended_.reset();
    is_final_ = true;
    notify();
  }

  std::shared_ptr<Connection> connection_;
  bool is_done_ = false;
  bool has_failed_ = false;  // wait() returns the error
  std::function<void()> callback_;
  std::atomic<bool> is_final_ = false;
  Result<Tensors> values_ = Tensors();
  RunMetadata metadata_;
  kj::Own<kj::PromiseFulfiller<void>> cancel_;
  std::optional<kj::ForkedPromise<void>> ended_;
  kj::Promise<void> notification_ = nullptr;
};

}  // namespace

kj::Promise<void> take_values(
    const Connection& connection, const StepResponse& response, Result<Tensors>& values) {
  DeferredTensors deferred{.memory = connection.memory().get(), .remaining = {}};
  values = to_values(response, deferred);
  if (deferred.remaining.empty()) return kj::READY_NOW;
  return read_deferred(std::move(deferred)).then([&values](Status status) {
    if (!status.ok()) values = std::move(status);
  });
}

Result<Tensors> run_remote_step(
    Connection& connection, std::chrono::milliseconds timeout, SendStep send) {
  Result<Tensors> values = Tensors();
  auto status = connection.run_within(timeout, [&] {
    return send().then([&](auto response) { return take_values(connection, response, values); });
  });
  return status.ok() ? values : status;
}

std::unique_ptr<PendingStep> start_remote_step(
    std::shared_ptr<Connection> connection, std::chrono::milliseconds timeout, SendStep send) {
  auto step = std::make_unique<RemoteStep>(std::move(connection));
  step->start(timeout, kj::mv(send));
  return step;
}

Status check_sendable_feeds(const std::vector<Feed>& feeds, bool takes_sources) {
  Tensors values;
  for (const auto& feed : feeds) {
    if (!feed.value.is_set())
      return invalid_argument("the feed of '" + feed.output.name + "' holds no tensor");
    values.push_back(feed.value);
  }
  return check_sendable(values, takes_sources);
}

void fill(
    capnp::List<rpc::Feed>::Builder to, const std::vector<Feed>& feeds,
    ExternalSegmentBudget& segment_budget) {
  for (unsigned i = 0; i < feeds.size(); ++i) {
    to[i].setOutput(feeds[i].output.name);
    fill(to[i].initValue(), feeds[i].value, segment_budget);
  }
}

}  // namespace troupe
