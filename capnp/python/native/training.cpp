#include "troupe/capnp/python/native/training.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

namespace troupe::python {
namespace {

constexpr train::Host::Time look_period = std::chrono::milliseconds(50);

template <class Work>
Status guarded(Raised& raised, Work work) {
  nb::gil_scoped_acquire gil;
  try {
    work();
    return {};
  } catch (nb::python_error& error) {
    return raised.keep(std::move(error));
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
      : hook_(std::move(hook)), raised_(host.raised()), watch_(host.watch()) {}
  ~PythonHook() override {
    nb::gil_scoped_acquire gil;
    hook_.reset();
  }

  Status begin() override {
    return guarded(*raised_, [&] { hook_.attr("begin")(); });
  }
  Status after_create_session(BasicSession& session) override {
    return guarded(*raised_, [&] { hook_.attr("after_create_session")(open_of(session)); });
  }
  train::StepRequest before_run(train::StepContext& step) override {
    train::StepRequest request;
    if (watch_->is_refused()) return request;
    auto status = guarded(*raised_, [&] { request = ask(step); });
    if (!status.ok()) watch_->refuse(status);
    return request;
  }
  Status after_run(train::StepContext& step, const Tensors& fetched) override {
    return guarded(*raised_, [&] {
      const auto& open = open_of(step.session());
      auto values = to_python(fetched, false);
      nb::object stops = hook_.attr("after_run")(open, values, watch_->metadata());
      if (nb::cast<bool>(stops)) step.request_stop();
    });
  }
  Status end(BasicSession& session) override {
    return guarded(*raised_, [&] { hook_.attr("end")(open_of(session)); });
  }

 private:
  /// All sessions of a training are opened here, so they are of this kind.
  static const std::shared_ptr<OpenSession>& open_of(BasicSession& session) {
    return static_cast<InterruptibleSession&>(session).open();
  }

  train::StepRequest ask(train::StepContext& step) {
    const auto& open = open_of(step.session());
    nb::list fetches;
    for (const auto& fetch : step.request().fetches) fetches.append(fetch.name);
    nb::object wanted = hook_.attr("before_run")(open, fetches);
    if (wanted.is_none()) return {};
    auto options = to_run_options(nb::cast<nb::dict>(wanted[3]));
    watch_->want(options);
    return {
        .feeds = to_feeds(nb::cast<nb::list>(wanted[0]), open->feed_rules()),
        .fetches = to_refs(nb::cast<nb::list>(wanted[1])),
        .targets = to_refs(nb::cast<nb::list>(wanted[2])),
        .options = options};
  }

  nb::object hook_;
  std::shared_ptr<Raised> raised_;
  std::shared_ptr<StepWatch> watch_;
};

class LastHook final : public train::SessionHook {
 public:
  explicit LastHook(const PythonHost& host) : watch_(host.watch()) {}

  train::StepRequest before_run(train::StepContext&) override {
    watch_->arm();
    return {};
  }

 private:
  std::shared_ptr<StepWatch> watch_;
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

void StepWatch::want(const RunOptions& options) { wish_.options = merge(wish_.options, options); }

std::optional<StepWatch::Wish> StepWatch::take() {
  if (!std::exchange(is_armed_, false)) return std::nullopt;
  return std::exchange(wish_, {});
}

nb::object StepWatch::metadata() const { return metadata_ ? nb::cast(*metadata_) : nb::none(); }

bool PythonHost::wait(Time time) {
  {
    // Whoever waits tries again what has failed.
    nb::gil_scoped_acquire gil;
    raised_->forget();
  }
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
  auto wish = watch_ ? watch_->take() : std::nullopt;
  if (wish && !wish->refusal.ok()) return wish->refusal;
  auto all = wish ? merge(options, wish->options) : options;
  auto step = open_->session().start(feeds, fetches, targets, all);
  try {
    auto answer = wait_interruptibly(*step);
    if (wish) watch_->tell(all.wants_metadata() ? std::optional(step->metadata()) : std::nullopt);
    return answer;
  } catch (nb::python_error& error) {
    nb::gil_scoped_acquire gil;
    return raised_->keep(std::move(error));
  }
}

std::shared_ptr<train::SessionHook> make_python_hook(nb::object hook, const PythonHost& host) {
  return std::make_shared<PythonHook>(std::move(hook), host);
}

std::shared_ptr<train::SessionHook> make_last_hook(const PythonHost& host) {
  return std::make_shared<LastHook>(host);
}

Status Initialization::run(const std::shared_ptr<OpenSession>& open) {
  return guarded(*raised_, [&] { call_(open); });
}

}  // namespace troupe::python
