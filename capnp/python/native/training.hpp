#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "troupe/capnp/python/native/sessions.hpp"
#include "troupe/graph/train/host.hpp"
#include "troupe/graph/train/session_hook.hpp"

namespace troupe::python {

/// The Python exception that made a C++ call fail. The call returns a status in its place.
class PendingException {
 public:
  /// Stores the exception, and returns the status to use in its place.
  Status store(nb::python_error error);
  void clear() { error_.reset(); }
  /// Throws the stored exception, or the status if there is none.
  [[noreturn]] void raise_or(const Status& status);

 private:
  std::optional<nb::python_error> error_;
};

/// The current step of a training, shared by its Python hooks and its session: the options that
/// hooks add, and the metadata of the step. Hooks and the runtime run further steps in the same
/// session; `mark_next_run` tells which run is the training step.
class TrainingStep {
 public:
  struct Additions {
    Status error;  // of a hook; the step then fails with it
    RunOptions options;
  };

  void add_options(const RunOptions& options);
  void fail(Status error) { additions_.error = std::move(error); }
  bool has_failed() const { return !additions_.error.ok(); }
  /// Called after all hooks: the next run of the session is the training step.
  void mark_next_run() { is_next_run_ = true; }
  /// What the hooks have added, if this run is the training step.
  std::optional<Additions> begin_run();

  void set_metadata(std::optional<RunMetadata> metadata) { metadata_ = std::move(metadata); }
  /// The metadata of the last step, or None if its options asked for none. Needs the GIL.
  nb::object metadata() const;

 private:
  Additions additions_;
  bool is_next_run_ = false;
  std::optional<RunMetadata> metadata_;
};

/// The clock and the log of a training. Waits end early when a signal handler raises.
class PythonHost final : public train::Host {
 public:
  PythonHost(nb::object log, nb::object warn, std::shared_ptr<PendingException> exception)
      : log_(std::move(log)), warn_(std::move(warn)), exception_(std::move(exception)) {}
  ~PythonHost() override {
    GilAcquire gil;
    log_.reset();
    warn_.reset();
  }

  Time now() override { return machine_.now(); }
  bool wait(Time time) override;
  void log(const std::string& message) override { tell(log_, message); }
  void warn(const std::string& message) override { tell(warn_, message); }

  const std::shared_ptr<PendingException>& exception() const { return exception_; }
  const std::shared_ptr<TrainingStep>& training_step() const { return training_step_; }

 private:
  void tell(const nb::object& how, const std::string& message);

  train::MachineHost machine_;
  nb::object log_, warn_;
  std::shared_ptr<PendingException> exception_;
  std::shared_ptr<TrainingStep> training_step_ = std::make_shared<TrainingStep>();
};

/// A Python callable that is called with a session. It may be destroyed without the GIL.
class SessionCallback {
 public:
  SessionCallback(nb::object call, std::shared_ptr<PendingException> exception)
      : call_(std::move(call)), exception_(std::move(exception)) {}
  ~SessionCallback() {
    GilAcquire gil;
    call_.reset();
  }
  SessionCallback(const SessionCallback&) = delete;

  /// Fails with the exception that the callable raises. To be called without the GIL.
  Status run(const std::shared_ptr<OpenSession>& open);

 private:
  nb::object call_;
  std::shared_ptr<PendingException> exception_;
};

/// What sessions of a training have besides.
struct TrainingCalls {
  std::shared_ptr<TrainingStep> step;
  std::shared_ptr<SessionCallback> initialize;  // with each new session; or none
  std::shared_ptr<SessionCallback> explain;  // of a training step that failed: raises why; or none
};

/// A session whose steps are cancelled when a signal handler raises.
class InterruptibleSession final : public BasicSession {
 public:
  InterruptibleSession(
      std::shared_ptr<OpenSession> open, std::shared_ptr<PendingException> exception,
      TrainingCalls training = {})
      : open_(std::move(open)), exception_(std::move(exception)), training_(std::move(training)) {}

  const std::shared_ptr<OpenSession>& open() const { return open_; }

  using BasicSession::extend;
  Status extend(const Graph& graph) override { return open_->session().extend(graph); }
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override;
  Status close() override { return open_->session().close(); }

 private:
  std::shared_ptr<OpenSession> open_;
  std::shared_ptr<PendingException> exception_;
  TrainingCalls training_;
};

/// A hook written in Python: `hook` is a HookAdapter of Python (train/hook_adapter.py).
std::shared_ptr<train::SessionHook> make_python_hook(nb::object hook, const PythonHost& host);
/// Calls a Python callable with a name; it fails with the exception that the callable raises.
std::function<Status(const std::string&)> make_name_callback(
    nb::object call, const PythonHost& host);
/// Marks the next run as the training step, so it must be the last hook.
std::shared_ptr<train::SessionHook> make_step_marker(const PythonHost& host);

}  // namespace troupe::python
