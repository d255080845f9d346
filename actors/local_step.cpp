#include "troupe/actors/local_step.hpp"

#include <mutex>

namespace troupe {
namespace {

/// How a step ended. The first end counts.
class Ending {
 public:
  void end(Result<Tensors> values) {
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
  LocalStep(SharedLine line, Call call) : line_(std::move(line)), call_(line_->next_call()) {
    auto answered = std::make_shared<Answered>(ending_);
    call.call = call_;
    call.traced = [answered](RunMetadata run) { answered->ending->add(std::move(run)); };
    call.done = [answered](Result<Tensors> values) { answered->ending->end(std::move(values)); };
    if (line_->is_closed()) ending_->end(LocalLine::closed_error());
    else line_->send_from_here(std::move(call), [this] { return done(); });
  }
  ~LocalStep() override { cancel(); }

  bool done() override { return wait_for(std::chrono::milliseconds(0)); }
  bool wait_for(std::chrono::milliseconds time) override {
    return ending_->ended().wait_for(time) == std::future_status::ready;
  }
  void when_done(std::function<void()> call) override { ending_->when_ended(std::move(call)); }
  Result<Tensors> wait() override { return ending_->ended().get(); }
  void cancel() override {
    if (done()) return;
    line_->send(CancelRun{call_});
    ending_->end(cancelled("the caller cancelled the step"));
  }
  RunMetadata metadata() override { return ending_->metadata(); }

 private:
  /// The session's end of the call; a session that has ended drops it.
  struct Answered {
    explicit Answered(std::shared_ptr<Ending> ending) : ending(std::move(ending)) {}
    ~Answered() { ending->end(LocalLine::closed_error()); }
    Answered(const Answered&) = delete;
    std::shared_ptr<Ending> ending;
  };

  SharedLine line_;
  CallId call_;
  std::shared_ptr<Ending> ending_ = std::make_shared<Ending>();
};

}  // namespace

std::unique_ptr<PendingStep> start_local_step(const SharedLine& line, Run run) {
  return std::make_unique<LocalStep>(line, std::move(run));
}

std::unique_ptr<PendingStep> start_local_step(const SharedLine& line, RunCallable run) {
  return std::make_unique<LocalStep>(line, std::move(run));
}

}  // namespace troupe
