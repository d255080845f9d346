#include "troupe/actors/local/local_step.hpp"

#include <mutex>

namespace troupe {
namespace {

/// The result of a step. Only the first one is kept.
class StepResult {
 public:
  void set(Result<Tensors> values) {
    std::lock_guard lock(mutex_);
    if (std::exchange(has_ended_, true)) return;
    promise_.set_value(std::move(values));
    if (auto call = std::exchange(call_, nullptr)) call();
  }
  void when_ended(std::function<void()> call) {
    std::lock_guard lock(mutex_);
    if (has_ended_) call();
    else call_ = std::move(call);
  }
  void add(RunMetadata metadata) {
    std::lock_guard lock(mutex_);
    if (!has_ended_) metadata_ = std::move(metadata);
  }
  RunMetadata metadata() {
    std::lock_guard lock(mutex_);
    return has_ended_ ? metadata_ : RunMetadata{};
  }
  const std::shared_future<Result<Tensors>>& ended() const { return ended_; }
  /// Gives up the values, of which a caller may have handles, once nobody will wait again.
  void drop_values() {
    std::lock_guard lock(mutex_);
    promise_ = {};
    ended_ = {};
  }

 private:
  std::mutex mutex_;
  bool has_ended_ = false;
  RunMetadata metadata_;
  std::function<void()> call_;
  std::promise<Result<Tensors>> promise_;
  std::shared_future<Result<Tensors>> ended_ = promise_.get_future().share();
};

class LocalStep final : public PendingStep {
 public:
  template <class Call>
  LocalStep(SharedLocalSession session, Call call)
      : session_(std::move(session)), call_(session_->next_call()) {
    auto owner = std::make_shared<CallbackOwner>(session_, result_);
    call.call = call_;
    call.on_metadata = [owner](RunMetadata run) { owner->result->add(std::move(run)); };
    call.done = [owner](Result<Tensors> values) { owner->result->set(std::move(values)); };
    if (session_->is_closed()) result_->set(session_->closed_error());
    else session_->send_from_here(std::move(call), [this] { return done(); });
  }
  /// The callbacks keep the result alive a moment longer.
  ~LocalStep() override {
    cancel();
    result_->drop_values();
  }

  bool done() override { return wait_for(std::chrono::milliseconds(0)); }
  bool wait_for(std::chrono::milliseconds time) override {
    return result_->ended().wait_for(time) == std::future_status::ready;
  }
  void when_done(std::function<void()> call) override { result_->when_ended(std::move(call)); }
  Result<Tensors> wait() override { return result_->ended().get(); }
  void cancel() override {
    if (done()) return;
    session_->send(CancelRun{call_});
    result_->set(cancelled("the caller cancelled the step"));
  }
  RunMetadata metadata() override { return result_->metadata(); }

 private:
  /// Shared by the callbacks of the call. A session that has ended drops the call, and its
  /// destructor then sets the error.
  struct CallbackOwner {
    CallbackOwner(SharedLocalSession session, std::shared_ptr<StepResult> result)
        : session(std::move(session)), result(std::move(result)) {}
    ~CallbackOwner() { result->set(session->closed_error()); }
    CallbackOwner(const CallbackOwner&) = delete;
    SharedLocalSession session;
    std::shared_ptr<StepResult> result;
  };

  SharedLocalSession session_;
  CallId call_;
  std::shared_ptr<StepResult> result_ = std::make_shared<StepResult>();
};

}  // namespace

std::unique_ptr<PendingStep> start_local_step(const SharedLocalSession& session, Run run) {
  return std::make_unique<LocalStep>(session, std::move(run));
}

std::unique_ptr<PendingStep> start_local_step(const SharedLocalSession& session, RunCallable run) {
  return std::make_unique<LocalStep>(session, std::move(run));
}

}  // namespace troupe
