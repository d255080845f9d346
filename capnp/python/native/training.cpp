#include "troupe/capnp/python/native/training.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

namespace troupe::python {
namespace {

constexpr train::Host::Time look_period = std::chrono::milliseconds(50);

class PythonHook final : public train::SessionHook {
 public:
  PythonHook(nb::object hook, std::shared_ptr<Raised> raised)
      : hook_(std::move(hook)), raised_(std::move(raised)) {}
  ~PythonHook() override {
    nb::gil_scoped_acquire gil;
    hook_.reset();
  }

  Status begin() override {
    return guarded([&] { hook_.attr("begin")(); });
  }
  Status after_create_session(BasicSession& session) override {
    return guarded([&] { hook_.attr("after_create_session")(open_of(session)); });
  }
  train::StepRequest before_run(train::StepContext& step) override {
    nb::gil_scoped_acquire gil;
    const auto& open = open_of(step.session());
    nb::list fetches;
    for (const auto& fetch : step.request().fetches) fetches.append(fetch.name);
    nb::object wanted = hook_.attr("before_run")(open, fetches);
    if (wanted.is_none()) return {};
    return {
        .feeds = to_feeds(nb::cast<nb::list>(wanted[0]), open->feed_rules()),
        .fetches = to_refs(nb::cast<nb::list>(wanted[1])),
        .targets = to_refs(nb::cast<nb::list>(wanted[2])),
        .options = to_run_options(nb::cast<nb::dict>(wanted[3]))};
  }
  Status after_run(train::StepContext& step, const Tensors& fetched) override {
    return guarded([&] {
      const auto& open = open_of(step.session());
      auto values = to_python(fetched, false);
      if (nb::cast<bool>(hook_.attr("after_run")(open, values))) step.request_stop();
    });
  }
  Status end(BasicSession& session) override {
    return guarded([&] { hook_.attr("end")(open_of(session)); });
  }

 private:
  /// All sessions of a training are opened here, so they are of this kind.
  static const std::shared_ptr<OpenSession>& open_of(BasicSession& session) {
    return static_cast<InterruptibleSession&>(session).open();
  }

  template <class Work>
  Status guarded(Work work) {
    nb::gil_scoped_acquire gil;
    try {
      work();
      return {};
    } catch (nb::python_error& error) {
      return raised_->keep(std::move(error));
    }
  }

  nb::object hook_;
  std::shared_ptr<Raised> raised_;
};

}  // namespace

Status Raised::keep(nb::python_error error) {
  auto status = status_of(error);
  error_.emplace(std::move(error));
  return status;
}

void Raised::raise_for(const Status& status) {
  if (!error_) raise(status);
  auto error = *std::exchange(error_, std::nullopt);
  throw error;
}

bool PythonHost::wait(Time time) {
  for (auto left = time; left.count() > 0; left -= look_period) {
    (void)machine_.wait(std::min(left, look_period));
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) continue;
    (void)raised_->keep(nb::python_error());
    return false;
  }
  return true;
}

void PythonHost::log(const std::string& message) {
  nb::gil_scoped_acquire gil;
  log_(message);
}

Result<Tensors> InterruptibleSession::run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  auto step = open_->session().start(feeds, fetches, targets, options);
  try {
    return wait_interruptibly(*step);
  } catch (nb::python_error& error) {
    nb::gil_scoped_acquire gil;
    return raised_->keep(std::move(error));
  }
}

std::shared_ptr<train::SessionHook> make_python_hook(
    nb::object hook, std::shared_ptr<Raised> raised) {
  return std::make_shared<PythonHook>(std::move(hook), std::move(raised));
}

}  // namespace troupe::python
