#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "troupe/capnp/python/native/sessions.hpp"
#include "troupe/graph/train/host.hpp"
#include "troupe/graph/train/session_hook.hpp"

namespace troupe::python {

/// What Python has raised within calls of C++, whose statuses only stand for it.
class Raised {
 public:
  /// Keeps the exception, and returns a status in its place.
  Status keep(nb::python_error error);
  void forget() { error_.reset(); }
  /// Throws what was kept, or else the status.
  [[noreturn]] void raise_for(const Status& status);

 private:
  std::optional<nb::python_error> error_;
};

/// The next step of a training, between its hooks and its session: what hooks of Python want of it,
/// and what it told of itself.
class StepWatch {
 public:
  struct Wish {
    Status refusal;  // of a hook that failed: the step is not to run
    RunOptions options;
  };

  void want(const RunOptions& options);
  void refuse(Status status) { wish_.refusal = std::move(status); }
  bool is_refused() const { return !wish_.refusal.ok(); }
  /// All hooks have been asked: what the session runs next is the step.
  void arm() { is_armed_ = true; }
  /// Of the step, if that is what runs next.
  std::optional<Wish> take();

  void tell(std::optional<RunMetadata> metadata) { metadata_ = std::move(metadata); }
  /// Of the last step, or None where nobody wanted any. With the GIL.
  nb::object metadata() const;

 private:
  Wish wish_;
  bool is_armed_ = false;
  std::optional<RunMetadata> metadata_;
};

/// Lends a training the program's time and log. Waits end early when a signal handler raises.
class PythonHost final : public train::Host {
 public:
  PythonHost(nb::object log, std::shared_ptr<Raised> raised)
      : log_(std::move(log)), raised_(std::move(raised)) {}
  ~PythonHost() override {
    nb::gil_scoped_acquire gil;
    log_.reset();
  }

  Time now() override { return machine_.now(); }
  bool wait(Time time) override;
  void log(const std::string& message) override;

  const std::shared_ptr<Raised>& raised() const { return raised_; }
  const std::shared_ptr<StepWatch>& watch() const { return watch_; }

 private:
  train::MachineHost machine_;
  nb::object log_;
  std::shared_ptr<Raised> raised_;
  std::shared_ptr<StepWatch> watch_ = std::make_shared<StepWatch>();
};

/// A session whose steps end when a signal handler raises. That of a training has a watch.
class InterruptibleSession final : public BasicSession {
 public:
  InterruptibleSession(
      std::shared_ptr<OpenSession> open, std::shared_ptr<Raised> raised,
      std::shared_ptr<StepWatch> watch = {})
      : open_(std::move(open)), raised_(std::move(raised)), watch_(std::move(watch)) {}

  const std::shared_ptr<OpenSession>& open() const { return open_; }

  using BasicSession::extend;
  Status extend(const Graph& graph) override { return open_->session().extend(graph); }
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override;
  Status close() override { return open_->session().close(); }

 private:
  std::shared_ptr<OpenSession> open_;
  std::shared_ptr<Raised> raised_;
  std::shared_ptr<StepWatch> watch_;
};

/// A hook written in Python: `hook` is a troupe.train.hook_adapter.HookAdapter.
std::shared_ptr<train::SessionHook> make_python_hook(nb::object hook, const PythonHost& host);
/// Arms the watch before each step, so it must be the last hook.
std::shared_ptr<train::SessionHook> make_last_hook(const PythonHost& host);

/// A callable of Python that is called for each new session. It may be dropped without the GIL.
class Initialization {
 public:
  Initialization(nb::object call, std::shared_ptr<Raised> raised)
      : call_(std::move(call)), raised_(std::move(raised)) {}
  ~Initialization() {
    nb::gil_scoped_acquire gil;
    call_.reset();
  }
  Initialization(const Initialization&) = delete;

  Status run(const std::shared_ptr<OpenSession>& open);

 private:
  nb::object call_;
  std::shared_ptr<Raised> raised_;
};

}  // namespace troupe::python
