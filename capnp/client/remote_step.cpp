#include "troupe/capnp/client/remote_step.hpp"

#include <optional>
#include <utility>

namespace troupe {
namespace {

class EndedStep final : public PendingStep {
 public:
  explicit EndedStep(Status status) : status_(std::move(status)) {}

  bool done() override { return true; }
  Result<Tensors> wait() override { return status_; }
  void cancel() override {}
  RunMetadata metadata() override { return {}; }

 private:
  Status status_;
};

/// Its fields are used on the connection's loop only.
class RemoteStep final : public PendingStep {
 public:
  explicit RemoteStep(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  ~RemoteStep() noexcept override {
    connection_->let_go([this] {
      end_early_ = nullptr;
      ended_.reset();
    });
  }

  void start(std::chrono::milliseconds timeout, SendStep send) {
    auto status = connection_->run_out([&] {
      auto answered = send().then([this](auto response) {
        values_ = to_values(response, *connection_->memory());
        if (auto metadata = to_run_metadata(response.getMetadata())) metadata_ = *metadata;
        is_done_ = true;
      });
      auto call = connection_->unless_late(
          kj::mv(answered), timeout, [this](Status late) { end(std::move(late)); });
      auto early = kj::newPromiseAndFulfiller<void>();
      end_early_ = kj::mv(early.fulfiller);
      ended_ = call.exclusiveJoin(kj::mv(early.promise)).fork();
    });
    if (!status.ok()) end(std::move(status));
  }

  bool done() override {
    connection_->look();
    bool is_done = false;
    auto status = connection_->run_out([&] { is_done = is_done_; });
    return is_done || !status.ok();
  }

  Result<Tensors> wait() override {
    Result<Tensors> values = Tensors();
    auto status = connection_->run([&]() -> kj::Promise<void> {
      auto ended = is_done_ ? kj::Promise<void>(kj::READY_NOW) : ended_->addBranch();
      return ended.then([this, &values] { values = values_; });
    });
    if (!status.ok()) return status;
    return values;
  }

  void cancel() override {
    (void)connection_->run_out([this] {
      end(cancelled("the caller cancelled the step"));
      if (end_early_) end_early_->fulfill();
    });
  }

  RunMetadata metadata() override {
    RunMetadata metadata;
    (void)connection_->run_out([&] { metadata = metadata_; });
    return metadata;
  }

 private:
  void end(Status status) {
    if (std::exchange(is_done_, true)) return;
    values_ = std::move(status);
  }

  std::shared_ptr<Connection> connection_;
  bool is_done_ = false;
  Result<Tensors> values_ = Tensors();
  RunMetadata metadata_;
  kj::Own<kj::PromiseFulfiller<void>> end_early_;
  std::optional<kj::ForkedPromise<void>> ended_;
};

}  // namespace

Result<Tensors> run_remote_step(
    Connection& connection, std::chrono::milliseconds timeout, SendStep send) {
  Result<Tensors> values = Tensors();
  auto status = connection.run_within(timeout, [&] {
    return send().then([&](auto response) { values = to_values(response, *connection.memory()); });
  });
  return status.ok() ? values : status;
}

std::unique_ptr<PendingStep> start_remote_step(
    std::shared_ptr<Connection> connection, std::chrono::milliseconds timeout, SendStep send) {
  auto step = std::make_unique<RemoteStep>(std::move(connection));
  step->start(timeout, kj::mv(send));
  return step;
}

std::unique_ptr<PendingStep> make_ended_step(Status status) {
  return std::make_unique<EndedStep>(std::move(status));
}

Status check_sendable_feeds(const std::vector<Feed>& feeds) {
  Tensors values;
  for (const auto& feed : feeds) {
    if (!feed.value.is_set())
      return invalid_argument("the feed of '" + feed.output.name + "' holds no tensor");
    values.push_back(feed.value);
  }
  return check_sendable(values);
}

void fill(capnp::List<rpc::Feed>::Builder to, const std::vector<Feed>& feeds, Lender& lender) {
  for (unsigned i = 0; i < feeds.size(); ++i) {
    to[i].setOutput(feeds[i].output.name);
    fill(to[i].initValue(), feeds[i].value, lender);
  }
}

}  // namespace troupe
