#include "troupe/capnp/python/native/training.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

namespace troupe::python {
namespace {

constexpr train::Host::Time signal_poll_period = std::chrono::milliseconds(50);

/// Calls `work` with the GIL; stores its Python exception.
template <class Work>
Status call_python(PendingException& exception, Work work) {
  GilAcquire gil;
  try {
    work();
    return {};
  } catch (nb::python_error& error) {
    return exception.store(std::move(error));
  }
}

RunOptions merge(RunOptions options, const RunOptions& more) {
  options.timeout = std::max(options.timeout, more.timeout);
  if (more.trace != Trace::none) options.trace = more.trace;
  options.output_partition_graphs |= more.output_partition_graphs;
  return options;
}

class PythonHook final : public train::SessionHook {
 public:
  PythonHook(nb::object hook, const PythonHost& host)
      : hook_(std::move(hook)),
        exception_(host.exception()),
        training_step_(host.training_step()) {}
  ~PythonHook() override {
    GilAcquire gil;
    hook_.reset();
  }

  Status begin() override {
    return call_python(*exception_, [&] { call_object(hook_.attr("begin")); });
  }
  Status after_create_session(BasicSession& session) override {
    return call_python(
        *exception_, [&] { call_object(hook_.attr("after_create_session"), open_of(session)); });
  }
  train::StepRequest before_run(train::StepContext& step) override {
    train::StepRequest request;
    if (training_step_->has_failed()) return request;
    auto status = call_python(*exception_, [&] { request = request_of(step); });
    if (!status.ok()) training_step_->fail(status);
    return request;
  }
  Status after_run(train::StepContext& step, const Tensors& fetched) override {
    return call_python(*exception_, [&] {
      const auto& open = open_of(step.session());
      auto values = to_python(fetched, false);
      auto stops = call_object(hook_.attr("after_run"), open, values, training_step_->metadata());
      if (nb::cast<bool>(stops)) step.request_stop();
    });
  }
  Status end(BasicSession& session) override {
    return call_python(*exception_, [&] { call_object(hook_.attr("end"), open_of(session)); });
  }

 private:
  /// bind_train.cpp opens all sessions of a training, as InterruptibleSessions.
  static const std::shared_ptr<OpenSession>& open_of(BasicSession& session) {
    return static_cast<InterruptibleSession&>(session).open();
  }

  train::StepRequest request_of(train::StepContext& step) {
    const auto& open = open_of(step.session());
    nb::list fetches;
    for (const auto& fetch : step.request().fetches) fetches.append(fetch.name);
    auto added = call_object(hook_.attr("before_run"), open, fetches);
    if (added.is_none()) return {};
    auto options = to_run_options(nb::cast<nb::dict>(added[3]));
    training_step_->add_options(options);
    return {
        .feeds = to_feeds(nb::cast<nb::list>(added[0]), open->feed_rules()),
        .fetches = to_refs(nb::cast<nb::list>(added[1])),
        .targets = to_refs(nb::cast<nb::list>(added[2])),
        .options = options};
  }

  nb::object hook_;
  std::shared_ptr<PendingException> exception_;
  std::shared_ptr<TrainingStep> training_step_;
};

class StepMarkerHook final : public train::SessionHook {
 public:
  explicit StepMarkerHook(const PythonHost& host) : training_step_(host.training_step()) {}

  train::StepRequest before_run(train::StepContext&) override {
    training_step_->mark_next_run();
    return {};
  }

 private:
  std::shared_ptr<TrainingStep> training_step_;
};

}  // namespace

Status PendingException::store(nb::python_error error) {
  auto status = status_of(error);
  error_.emplace(std::move(error));
  return status;
}

void PendingException::raise_or(const Status& status) {
  if (!error_) raise(status);
  auto error = *std::exchange(error_, std::nullopt);
  throw error;
}

void TrainingStep::add_options(const RunOptions& options) {
  additions_.options = merge(additions_.options, options);
}

std::optional<TrainingStep::Additions> TrainingStep::begin_run() {
  if (!std::exchange(is_next_run_, false)) return std::nullopt;
  return std::exchange(additions_, {});
}

nb::object TrainingStep::metadata() const { return metadata_ ? nb::cast(*metadata_) : nb::none(); }

bool PythonHost::wait(Time time) {
  {
    // The caller retries after the wait, so the error of the last attempt is obsolete.
    GilAcquire gil;
    exception_->clear();
  }
  for (auto left = time; left.count() > 0; left -= signal_poll_period) {
    (void)machine_.wait(std::min(left, signal_poll_period));
    GilAcquire gil;
    if (PyErr_CheckSignals() == 0) continue;
    (void)exception_->store(nb::python_error());
    return false;
  }
  return true;
}

void PythonHost::tell(const nb::object& how, const std::string& message) {
  GilAcquire gil;
  call_object(how, message);
}

Result<Tensors> InterruptibleSession::run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  auto additions = training_.step ? training_.step->begin_run() : std::nullopt;
  if (additions && !additions->error.ok()) return additions->error;
  auto all = additions ? merge(options, additions->options) : options;
  auto step = open_->session().start(feeds, fetches, targets, all);
  try {
    auto result = wait_interruptibly(*step);
    if (additions)
      training_.step->set_metadata(
          all.wants_metadata() ? std::optional(step->metadata()) : std::nullopt);
    if (!result && additions && training_.explain)
      if (auto status = training_.explain->run(open_); !status.ok()) return status;
    return result;
  } catch (nb::python_error& error) {
    GilAcquire gil;
    return exception_->store(std::move(error));
  }
}

std::shared_ptr<train::SessionHook> make_python_hook(nb::object hook, const PythonHost& host) {
  return std::make_shared<PythonHook>(std::move(hook), host);
}

std::function<Status(const std::string&)> make_name_callback(
    nb::object call, const PythonHost& host) {
  // Copies of the function share the reference, whose last one may be dropped without the GIL.
  std::shared_ptr<nb::object> shared(new nb::object(std::move(call)), [](nb::object* owned) {
    GilAcquire gil;
    delete owned;
  });
  return [shared, exception = host.exception()](const std::string& name) {
    return call_python(*exception, [&] { call_object(*shared, name); });
  };
}

std::shared_ptr<train::SessionHook> make_step_marker(const PythonHost& host) {
  return std::make_shared<StepMarkerHook>(host);
}

Status SessionCallback::run(const std::shared_ptr<OpenSession>& open) {
  return call_python(*exception_, [&] { call_object(call_, open); });
}

}  // namespace troupe::python
