#include "troupe/graph/train/hooks.hpp"

#include <cmath>
#include <utility>

namespace troupe::train {
namespace {

/// The global step that a step fetched; InvalidArgument unless it is an int64 or int32 scalar.
Result<int64_t> step_of(const Tensor& tensor, const Ref& global_step) {
  if (tensor.shape().is_scalar()) {
    if (tensor.dtype() == DType::int64) return tensor.value<int64_t>();
    if (tensor.dtype() == DType::int32) return int64_t{tensor.value<int32_t>()};
  }
  return invalid_argument(
      "the global step '" + global_step.name + "' must be one int64 or int32, but is " +
      tensor.to_string());
}

class StopAtStepHook final : public SessionHook {
 public:
  StopAtStepHook(Ref global_step, StopAtStep options)
      : global_step_(std::move(global_step)), options_(options) {}

  Status begin() override {
    if (options_.last_step.has_value() != options_.num_steps.has_value()) return {};
    return invalid_argument("either the last step or the number of steps must be given");
  }

  Status after_create_session(BasicSession& session) override {
    if (options_.last_step) return {};
    auto step = read_global_step(session, global_step_);
    if (step) options_.last_step = *step + *options_.num_steps;
    return step.status();
  }

  StepRequest before_run(StepContext&) override { return {.fetches = {global_step_}}; }

  Status after_run(StepContext& context, const Tensors& fetched) override {
    auto step = step_of(fetched[0], global_step_);
    if (!step) return step.status();
    if (*step + 1 < *options_.last_step) return {};
    // The fetched value may be from before or after the increment by this step.
    step = read_global_step(context.session(), global_step_);
    if (step && *step >= *options_.last_step) context.request_stop();
    return step.status();
  }

 private:
  const Ref global_step_;
  StopAtStep options_;
};

class CheckpointSaverHook final : public SessionHook {
 public:
  CheckpointSaverHook(Host& host, CheckpointSaverOptions options)
      : host_(host), options_(std::move(options)), timer_(host, options_.period) {}

  Status after_create_session(BasicSession& session) override { return save_now(session); }

  StepRequest before_run(StepContext&) override { return {.fetches = {options_.global_step}}; }

  Status after_run(StepContext& context, const Tensors& fetched) override {
    auto step = step_of(fetched[0], options_.global_step);
    if (!step) return step.status();
    // The fetched value may be from before the increment by this step.
    return timer_.is_due(*step + 1) ? save_if_due(context.session()) : Status();
  }

  Status end(BasicSession& session) override {
    auto step = read_global_step(session, options_.global_step);
    if (!step) return step.status();
    return timer_.last_step() == *step ? Status() : save(session, *step);
  }

 private:
  Status save_now(BasicSession& session) {
    auto step = read_global_step(session, options_.global_step);
    return step ? save(session, *step) : step.status();
  }

  Status save_if_due(BasicSession& session) {
    auto step = read_global_step(session, options_.global_step);
    if (!step) return step.status();
    return timer_.is_due(*step) ? save(session, *step) : Status();
  }

  Status save(BasicSession& session, int64_t step) {
    auto path = options_.saver->save(session, options_.prefix, step);
    if (!path) return path.status();
    timer_.record(step);
    host_.log("saved " + *path);
    return options_.saved ? options_.saved(*path) : Status();
  }

  Host& host_;
  const CheckpointSaverOptions options_;
  Timer timer_;
};

class StepCounterHook final : public SessionHook {
 public:
  StepCounterHook(Host& host, Ref global_step, Period period)
      : host_(host), global_step_(std::move(global_step)), timer_(host, period) {}

  StepRequest before_run(StepContext&) override { return {.fetches = {global_step_}}; }

  Status after_run(StepContext&, const Tensors& fetched) override {
    auto step = step_of(fetched[0], global_step_);
    if (!step) return step.status();
    if (!timer_.is_due(*step)) return {};
    if (timer_.last_step()) report(*step);
    timer_.record(*step);
    return {};
  }

 private:
  void report(int64_t step) {
    std::chrono::duration<double> time = host_.now() - *timer_.last_time();
    auto steps = static_cast<double>(step - *timer_.last_step());
    auto rate = time.count() > 0 ? steps / time.count() : 0;
    host_.log("global step " + std::to_string(step) + ": " + std::to_string(rate) + " a second");
  }

  Host& host_;
  const Ref global_step_;
  Timer timer_;
};

class NanGuard final : public SessionHook {
 public:
  NanGuard(Host& host, Ref loss, bool fail) : host_(host), loss_(std::move(loss)), fail_(fail) {}

  StepRequest before_run(StepContext&) override { return {.fetches = {loss_}}; }

  Status after_run(StepContext& context, const Tensors& fetched) override {
    const auto& loss = fetched[0];
    if (loss.dtype() != DType::float32 || !loss.shape().is_scalar())
      return invalid_argument(
          "the loss '" + loss_.name + "' must be one float32, but is " + loss.to_string());
    if (!std::isnan(loss.value<float>())) return {};
    auto message = "the loss '" + loss_.name + "' is NaN";
    if (fail_) return invalid_argument(message);
    host_.log(message);
    context.request_stop();
    return {};
  }

 private:
  Host& host_;
  const Ref loss_;
  const bool fail_;
};

class ValueLogger final : public SessionHook {
 public:
  ValueLogger(Host& host, std::vector<Ref> values, Period period)
      : host_(host), values_(std::move(values)), timer_(host, period) {}

  StepRequest before_run(StepContext&) override {
    is_due_ = timer_.is_due(step_);
    return {.fetches = is_due_ ? values_ : std::vector<Ref>()};
  }

  Status after_run(StepContext&, const Tensors& fetched) override {
    if (is_due_) {
      std::string line;
      for (size_t i = 0; i < values_.size(); ++i)
        line += (i ? ", " : "") + values_[i].name + " = " + fetched[i].to_string();
      host_.log(line);
      timer_.record(step_);
    }
    ++step_;
    return {};
  }

 private:
  Host& host_;
  const std::vector<Ref> values_;
  Timer timer_;
  int64_t step_ = 0;
  bool is_due_ = false;
};

}  // namespace

Result<int64_t> read_global_step(BasicSession& session, const Ref& global_step) {
  auto fetched = session.run({}, {global_step});
  if (!fetched) return fetched.status();
  return step_of((*fetched)[0], global_step);
}

bool Timer::is_due(int64_t step) const {
  if (!last_step_) return true;
  // The global step goes back when a parameter server is restored from a checkpoint.
  if (period_.steps) return step >= *last_step_ + *period_.steps || step < *last_step_;
  return step != *last_step_ && host_.now() >= *last_time_ + *period_.time;
}

void Timer::record(int64_t step) {
  last_step_ = step;
  last_time_ = host_.now();
}

std::unique_ptr<SessionHook> stop_at_step(const Ref& global_step, StopAtStep options) {
  return std::make_unique<StopAtStepHook>(global_step, options);
}

std::unique_ptr<SessionHook> checkpoint_saver(Host& host, CheckpointSaverOptions options) {
  return std::make_unique<CheckpointSaverHook>(host, std::move(options));
}

std::unique_ptr<SessionHook> step_counter(Host& host, const Ref& global_step, Period period) {
  return std::make_unique<StepCounterHook>(host, global_step, period);
}

std::unique_ptr<SessionHook> nan_guard(Host& host, const Ref& loss, bool fail) {
  return std::make_unique<NanGuard>(host, loss, fail);
}

std::unique_ptr<SessionHook> value_logger(
    Host& host, const std::vector<Ref>& values, Period period) {
  return std::make_unique<ValueLogger>(host, values, period);
}

}  // namespace troupe::train
