#include "troupe/capnp/client/remote_step.hpp"

#include <atomic>
#include <optional>
#include <utility>

namespace troupe {
namespace {

class EndedStep final : public PendingStep {
 public:
  explicit EndedStep(Status status) : status_(std::move(status)) {}

  bool done() override { return true; }
  bool wait_for(std::chrono::milliseconds) override { return true; }
  void when_done(std::function<void()> call) override { call(); }
  Result<Tensors> wait() override { return status_; }
  void cancel() override {}
  RunMetadata metadata() override { return {}; }

 private:
  Status status_;
};

/// Its fields are used on the connection's loop only, until it is settled.
class RemoteStep final : public PendingStep {
 public:
  explicit RemoteStep(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  ~RemoteStep() noexcept override {
    if (is_settled_ && !ended_) return;
    connection_->let_go([this] {
      end_early_ = nullptr;
      telling_ = nullptr;
      ended_.reset();
    });
  }

  void start(std::chrono::milliseconds timeout, SendStep send) {
    auto status = connection_->run_out([&] {
      auto answered = send().then([this](auto response) {
        if (auto metadata = to_run_metadata(response.getMetadata())) metadata_ = *metadata;
        return take_values(*connection_, response, values_).then([this] { is_done_ = true; });
      });
      auto heard = answered.catch_([this](kj::Exception&& error) -> kj::Promise<void> {
        has_failed_ = true;
        return kj::mv(error);
      });
      auto call = connection_->unless_late(
          kj::mv(heard), timeout, [this](Status late) { end(std::move(late)); });
      auto early = kj::newPromiseAndFulfiller<void>();
      end_early_ = kj::mv(early.fulfiller);
      ended_ = call.exclusiveJoin(kj::mv(early.promise)).fork();
    });
    if (!status.ok()) end(std::move(status));
  }

  bool done() override {
    if (is_settled_) return true;
    connection_->look();
    bool is_done = false;
    auto status = connection_->run_out([&] { is_done = is_done_ || has_failed_; });
    return is_done || !status.ok();
  }

  bool wait_for(std::chrono::milliseconds time) override {
    if (is_settled_) return true;
    bool is_done = false;
    auto status = connection_->run([&]() -> kj::Promise<void> {
      auto ended = is_done_ ? kj::Promise<void>(kj::READY_NOW)
                            : ended_->addBranch().exclusiveJoin(connection_->after(time));
      return ended.then([&] {
        is_done = is_done_;
        if (is_done) settle();
      });
    });
    return is_done || !status.ok();
  }

  void when_done(std::function<void()> call) override {
    if (is_settled_) return call();
    auto told = std::make_shared<std::function<void()>>(std::move(call));
    auto status = connection_->run_out([&] {
      if (is_done_) return (*told)();
      is_told_ = true;
      telling_ = ended_->addBranch()
                     .then([told] { (*told)(); }, [told](kj::Exception&&) { (*told)(); })
                     .eagerlyEvaluate(nullptr);
    });
    if (!status.ok()) (*told)();
  }

  Result<Tensors> wait() override {
    if (is_settled_) return values_;
    Result<Tensors> values = Tensors();
    auto status = connection_->run([&]() -> kj::Promise<void> {
      auto ended = is_done_ ? kj::Promise<void>(kj::READY_NOW) : ended_->addBranch();
      return ended.then([this, &values] {
        values = values_;
        settle();
      });
    });
    if (!status.ok()) return status;
    return values;
  }

  void cancel() override {
    if (is_settled_) return;
    (void)connection_->run_out([this] {
      end(cancelled("the caller cancelled the step"));
      if (end_early_) end_early_->fulfill();
    });
  }

  RunMetadata metadata() override {
    if (is_settled_) return metadata_;
    RunMetadata metadata;
    (void)connection_->run_out([&] { metadata = metadata_; });
    return metadata;
  }

 private:
  void end(Status status) {
    if (std::exchange(is_done_, true)) return;
    values_ = std::move(status);
  }

  /// It has ended and was waited for: what it gives changes no more, and any thread may read it
  /// without a turn of the loop, which costs as much as a tenth of a small step.
  void settle() {
    if (!is_told_) {
      end_early_ = nullptr;
      ended_.reset();
    }
    is_settled_ = true;
  }

  std::shared_ptr<Connection> connection_;
  bool is_done_ = false;
  bool has_failed_ = false;  // wait() tells why
  bool is_told_ = false;     // to when_done(), which the loop may have to do yet
  std::atomic<bool> is_settled_ = false;
  Result<Tensors> values_ = Tensors();
  RunMetadata metadata_;
  kj::Own<kj::PromiseFulfiller<void>> end_early_;
  std::optional<kj::ForkedPromise<void>> ended_;
  kj::Promise<void> telling_ = nullptr;
};

}  // namespace

kj::Promise<void> take_values(
    const Connection& connection, const StepResponse& response, Result<Tensors>& values) {
  Intake intake{.memory = connection.memory().get(), .rests = {}};
  values = to_values(response, intake);
  if (intake.rests.empty()) return kj::READY_NOW;
  return read_rests(std::move(intake)).then([&values](Status status) {
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

std::unique_ptr<PendingStep> make_ended_step(Status status) {
  return std::make_unique<EndedStep>(std::move(status));
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

void fill(capnp::List<rpc::Feed>::Builder to, const std::vector<Feed>& feeds, Lender& lender) {
  for (unsigned i = 0; i < feeds.size(); ++i) {
    to[i].setOutput(feeds[i].output.name);
    fill(to[i].initValue(), feeds[i].value, lender);
  }
}

}  // namespace troupe
