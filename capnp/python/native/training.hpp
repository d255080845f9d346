#pragma once

#include <memory>
#include <optional>
#include <string>

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

 private:
  train::MachineHost machine_;
  nb::object log_;
  std::shared_ptr<Raised> raised_;
};

/// A session whose steps end when a signal handler raises.
class InterruptibleSession final : public BasicSession {
 public:
  InterruptibleSession(std::shared_ptr<OpenSession> open, std::shared_ptr<Raised> raised)
      : open_(std::move(open)), raised_(std::move(raised)) {}

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
};

/// A hook written in Python: `hook` is a troupe.train.hook_adapter.HookAdapter.
std::shared_ptr<train::SessionHook> make_python_hook(
    nb::object hook, std::shared_ptr<Raised> raised);

}  // namespace troupe::python
