#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/training.hpp"
#include "troupe/graph/train/checkpoint_state.hpp"
#include "troupe/graph/train/hooks.hpp"
#include "troupe/graph/train/monitored_session.hpp"

namespace troupe::python {
namespace {

using SharedHost = std::shared_ptr<PythonHost>;
using SharedHook = std::shared_ptr<train::SessionHook>;
using std::chrono::milliseconds;

SharedHost make_host(nb::object log, nb::object warn) {
  return std::make_shared<PythonHost>(
      std::move(log), std::move(warn), std::make_shared<PendingException>());
}

/// Calls `work` without the GIL, and throws its error: the Python exception that caused it, if any.
template <class Work>
auto run_without_gil(const SharedHost& host, Work work) {
  host->exception()->clear();
  auto result = [&] {
    GilRelease gil;
    return work();
  }();
  if constexpr (std::is_same_v<decltype(result), Status>) {
    if (!result.ok()) host->exception()->raise_or(result);
  } else {
    if (!result) host->exception()->raise_or(result.status());
    return *std::move(result);
  }
}

struct SaverHandle {
  SharedHost host;
  std::shared_ptr<train::Saver> saver;
};

SaverHandle make_saver(const Builder& builder, const SharedHost& host, nb::dict given) {
  std::vector<train::SavedPart> parts;
  for (auto part : nb::cast<nb::list>(given["parts"]))
    parts.push_back(
        {nb::cast<std::string>(part[0]), nb::cast<std::string>(part[1]),
         nb::cast<Variable>(part[2]), part[3].is_none() ? Value() : nb::cast<Value>(part[3])});
  train::SaverOptions options{
      .parts = std::move(parts),
      .sharded = nb::cast<bool>(given["sharded"]),
      .device = nb::cast<std::string>(given["device"]),
      .max_to_keep = nb::cast<int>(given["max_to_keep"]),
      .keep_checkpoint_every_n_hours = nb::cast<double>(given["keep_checkpoint_every_n_hours"]),
      .name = nb::cast<std::string>(given["name"]),
      .filename = nb::cast<std::string>(given["filename"]),
      .reshape = nb::cast<bool>(given["reshape"]),
      .restore_sequentially = nb::cast<bool>(given["restore_sequentially"]),
      .pad_step_number = nb::cast<bool>(given["pad_step_number"]),
      .save_relative_paths = nb::cast<bool>(given["save_relative_paths"])};
  // The deleter keeps the host alive, which the saver refers to.
  std::shared_ptr<train::Saver> saver(
      new train::Saver(builder, *host, std::move(options)),
      [host](train::Saver* owned) { delete owned; });
  check(builder.take_status());
  return {host, std::move(saver)};
}

std::string save(
    SaverHandle& handle, const std::shared_ptr<OpenSession>& open, const std::string& prefix,
    std::optional<int64_t> step, const std::string& latest_filename, bool write_state) {
  InterruptibleSession session(open, handle.host->exception());
  train::SaveOptions options{
      .global_step = step, .latest_filename = latest_filename, .write_state = write_state};
  return run_without_gil(handle.host, [&] { return handle.saver->save(session, prefix, options); });
}

void restore(
    SaverHandle& handle, const std::shared_ptr<OpenSession>& open, const std::string& path) {
  InterruptibleSession session(open, handle.host->exception());
  run_without_gil(handle.host, [&] { return handle.saver->restore(session, path); });
}

void bind_saver(nb::module_& module) {
  nb::class_<SaverHandle>(module, "Saver")
      .def(
          "save", &save, nb::arg("session"), nb::arg("prefix"), nb::arg("step").none(),
          nb::arg("latest_filename"), nb::arg("write_state"))
      .def("restore", &restore, nb::arg("session"), nb::arg("path"))
      .def(
          "last_checkpoints",
          [](const SaverHandle& handle) { return handle.saver->last_checkpoints(); })
      .def(
          "recover_last_checkpoints",
          [](SaverHandle& handle, const std::vector<std::string>& paths) {
            handle.saver->recover_last_checkpoints(paths);
          });
  module.def("make_saver", &make_saver, nb::arg("builder"), nb::arg("host"), nb::arg("options"));
}

train::Period to_period(std::optional<int64_t> steps, std::optional<double> seconds) {
  train::Period period{.steps = steps, .time = {}};
  if (seconds) period.time = milliseconds(static_cast<int64_t>(*seconds * 1000));
  return period;
}

void bind_hooks(nb::module_& module) {
  nb::class_<train::SessionHook>(module, "Hook");
  module.def(
      "stop_at_step",
      [](const std::string& global_step, std::optional<int64_t> num, std::optional<int64_t> last) {
        return SharedHook(train::stop_at_step(global_step, {.last_step = last, .num_steps = num}));
      },
      nb::arg("global_step"), nb::arg("num_steps").none(), nb::arg("last_step").none());
  module.def(
      "checkpoint_saver",
      [](const SaverHandle& saver, const std::string& prefix, const std::string& global_step,
         std::optional<int64_t> steps, std::optional<double> seconds, const SharedHost& training,
         nb::object saved) {
        return SharedHook(train::checkpoint_saver(
            *saver.host, {.saver = saver.saver,
                          .prefix = prefix,
                          .global_step = global_step,
                          .period = to_period(steps, seconds),
                          .saved = make_name_callback(std::move(saved), *training)}));
      },
      nb::arg("saver"), nb::arg("prefix"), nb::arg("global_step"), nb::arg("steps").none(),
      nb::arg("seconds").none(), nb::arg("training"), nb::arg("saved"));
  module.def(
      "step_counter",
      [](const SharedHost& host, const std::string& global_step, std::optional<int64_t> steps,
         std::optional<double> seconds) {
        return SharedHook(train::step_counter(*host, global_step, to_period(steps, seconds)));
      },
      nb::arg("host"), nb::arg("global_step"), nb::arg("steps").none(), nb::arg("seconds").none());
  module.def(
      "nan_guard",
      [](const SharedHost& host, const std::string& loss, bool fail) {
        return SharedHook(train::nan_guard(*host, loss, fail));
      },
      nb::arg("host"), nb::arg("loss"), nb::arg("fail"));
  module.def(
      "python_hook",
      [](const SharedHost& host, nb::object hook) {
        return make_python_hook(std::move(hook), *host);
      },
      nb::arg("host"), nb::arg("hook"));
}

/// A MonitoredSession and its host. The session is destroyed first, without the GIL.
class TrainingHandle {
 public:
  TrainingHandle(SharedHost host, std::unique_ptr<train::MonitoredSession> session, bool is_remote)
      : host_(std::move(host)), session_(std::move(session)), is_remote_(is_remote) {}
  /// (values, metadata or None).
  nb::tuple run(
      nb::list feeds, nb::list fetches, nb::list targets, nb::dict options, bool recovers) {
    auto values = to_feeds(feeds, {.may_alias = is_remote_, .decrefs = decrefs_});
    auto outputs = to_refs(fetches), nodes = to_refs(targets);
    auto run_options = to_run_options(options);
    auto fetched = run_without_gil(host_, [&] {
      return recovers ? session_->run(values, outputs, nodes, run_options)
                      : session_->run_once(values, outputs, nodes, run_options);
    });
    decrefs_->run();
    return nb::make_tuple(
        to_python(std::move(fetched), is_remote_), host_->training_step()->metadata());
  }
  bool should_stop() const { return session_->should_stop(); }
  void request_stop() { session_->request_stop(); }
  /// Opens a new session in place of one that a lost task has made useless.
  void recover(const std::string& why) {
    run_without_gil(host_, [&] { return session_->recover(unavailable(why)); });
  }
  void close() {
    run_without_gil(host_, [&] { return session_->close(); });
  }

 private:
  SharedHost host_;
  Owned<train::MonitoredSession> session_;
  bool is_remote_;
  std::shared_ptr<DeferredDecrefs> decrefs_ = std::make_shared<DeferredDecrefs>();
};

train::Scaffold to_scaffold(const Builder& builder, nb::dict given) {
  train::Scaffold scaffold(builder);
  check(builder.take_status());
  if (given.contains("initializers")) {
    auto replaced = nb::cast<std::map<std::string, Value>>(given["initializers"]);
    for (auto& variable : scaffold.variables)
      if (auto found = replaced.find(variable.name); found != replaced.end())
        variable.initializer = found->second;
  }
  if (given.contains("saver")) scaffold.saver = nb::cast<SaverHandle&>(given["saver"]).saver;
  if (given.contains("checkpoint_folder"))
    scaffold.checkpoint_folder = nb::cast<std::string>(given["checkpoint_folder"]);
  if (given.contains("local_init"))
    scaffold.local_init = to_refs(nb::cast<nb::list>(given["local_init"]));
  using Start = train::Scaffold::Start;
  auto start = nb::cast<std::string>(given["start"]);
  scaffold.start = start == "anew" ? Start::anew : start == "adopt" ? Start::adopt : Start::resume;
  return scaffold;
}

/// The function that opens the sessions of a training; "initialize" is called with each session,
/// "explain" after each of its steps that failed.
/// The first session is there `first_within` that time, or an attempt fails; 0: no limit.
train::OpenSession to_opening(
    const Target& target, const PythonHost& host, nb::dict given, milliseconds first_within) {
  auto callback = [&](const char* name) -> std::shared_ptr<SessionCallback> {
    if (!given.contains(name)) return nullptr;
    return std::make_shared<SessionCallback>(given[name], host.exception());
  };
  TrainingCalls calls{
      .step = host.training_step(),
      .initialize = callback("initialize"),
      .explain = callback("explain")};
  auto until = std::chrono::steady_clock::now() + first_within;
  auto is_limited = std::make_shared<bool>(first_within.count() > 0);
  return [target, calls, until, is_limited,
          exception = host.exception()]() -> Result<std::unique_ptr<BasicSession>> {
    auto now = target;
    auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    if (*is_limited)
      now.connect_timeout =
          std::min(target.connect_timeout, std::max(left, train::Backoff::attempt_min));
    auto opened = open(now);
    if (!opened) return opened.status();
    *is_limited = false;
    if (calls.initialize)
      if (auto status = calls.initialize->run(*opened); !status.ok()) return status;
    return std::unique_ptr<BasicSession>(
        std::make_unique<InterruptibleSession>(*opened, exception, calls));
  };
}

/// Creates the MonitoredSession: adds its nodes to the graph and opens the first session.
TrainingHandle begin_training(
    const Builder& builder, const SharedHost& host, nb::dict target, nb::dict given,
    std::vector<SharedHook> hooks) {
  auto where = to_target(target);
  train::RetryOptions retry;
  if (given.contains("give_up_after_ms"))
    retry.give_up_after = milliseconds(nb::cast<int64_t>(given["give_up_after_ms"]));
  // It tries again itself, and says so: an attempt that took all of the time would do neither.
  if (retry.give_up_after > milliseconds(0))
    where.connect_timeout =
        std::min({where.connect_timeout, retry.give_up_after, milliseconds(1500)});
  hooks.push_back(make_step_marker(*host));
  train::MonitoredSessionOptions options{
      .open = to_opening(where, *host, given, retry.give_up_after),
      .scaffold = to_scaffold(builder, given),
      .is_chief = nb::cast<bool>(given["is_chief"]),
      .hooks = std::move(hooks),
      .retry = retry};
  auto session = run_without_gil(
      host, [&] { return train::MonitoredSession::create(std::move(options), *host); });
  return {host, std::move(session), !where.address.empty()};
}

void bind_training(nb::module_& module) {
  nb::class_<PythonHost>(module, "Host");
  module.def("make_host", &make_host, nb::arg("log"), nb::arg("warn"));
  nb::class_<TrainingHandle>(module, "Training")
      .def(
          "run", &TrainingHandle::run, nb::arg("feeds"), nb::arg("fetches"), nb::arg("targets"),
          nb::arg("options"), nb::arg("recovers"))
      .def_prop_ro("should_stop", &TrainingHandle::should_stop)
      .def("request_stop", &TrainingHandle::request_stop)
      .def("recover", &TrainingHandle::recover, nb::arg("why"))
      .def("close", &TrainingHandle::close);
  module.def(
      "begin_training", &begin_training, nb::arg("builder"), nb::arg("host"), nb::arg("target"),
      nb::arg("options"), nb::arg("hooks"));
}

}  // namespace

void bind_train(nb::module_& module) {
  bind_training(module);
  bind_saver(module);
  bind_hooks(module);
}

}  // namespace troupe::python
