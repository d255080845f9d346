#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/completions.hpp"
#include "troupe/capnp/python/native/sessions.hpp"

namespace troupe::python {
namespace {

using SharedSession = std::shared_ptr<OpenSession>;

nb::tuple to_result(OpenSession& open, Result<Tensors> values, nb::object metadata) {
  open.decrefs()->run();
  return nb::make_tuple(to_python(take(std::move(values)), open.is_remote()), metadata);
}

/// Runs a step by `run`, which takes one turn of the event loop; or by `start` where a signal may
/// interrupt it, in the main thread, or its metadata is wanted.
template <class Run, class Start>
nb::tuple run_step(OpenSession& open, bool wants_metadata, Run run, Start start) {
  RunMetadata metadata;
  auto values = without_gil([&]() -> Result<Tensors> {
    if (!wants_metadata && !is_main_thread()) return run();
    auto step = start();  // destroyed at once, so that its results are not shared with it
    auto result = wait_interruptibly(*step);
    if (wants_metadata) metadata = step->metadata();
    return result;
  });
  return to_result(
      open, std::move(values),
      wants_metadata ? nb::cast(std::move(metadata)) : nb::object(nb::none()));
}

nb::tuple run(
    OpenSession& open, nb::list feeds, nb::list fetches, nb::list targets, nb::dict options) {
  auto run_options = to_run_options(options);
  auto values = to_feeds(feeds, open.feed_rules());
  auto outputs = to_refs(fetches), nodes = to_refs(targets);
  return run_step(
      open, run_options.wants_metadata(),
      [&] { return open.session().run(values, outputs, nodes, run_options); },
      [&] { return open.session().start(values, outputs, nodes, run_options); });
}

void extend(OpenSession& open, const Builder& builder) {
  check(without_gil([&] { return open.session().extend(builder.graph()); }));
}

/// A prepared step; destroyed before its session.
struct OwnedCallable {
  SharedSession session;
  Owned<Callable> callable;
  bool wants_metadata;
};

Tensors to_tensors(nb::list feeds, const FeedRules& rules) {
  Tensors tensors;
  for (auto& feed : to_feeds(feeds, rules)) tensors.push_back(std::move(feed.value));
  return tensors;
}

nb::tuple call(OwnedCallable& owned, nb::list feeds) {
  auto tensors = to_tensors(feeds, owned.session->feed_rules());
  return run_step(
      *owned.session, owned.wants_metadata, [&] { return owned.callable->run(tensors); },
      [&] { return owned.callable->start(tensors); });
}

OwnedCallable make_callable(
    const SharedSession& open, nb::list feeds, nb::list fetches, nb::list targets,
    nb::dict options) {
  auto from = to_refs(feeds), outputs = to_refs(fetches), nodes = to_refs(targets);
  auto run_options = to_run_options(options);
  auto prepared =
      without_gil([&] { return open->session().make_callable(from, outputs, nodes, run_options); });
  return {open, Owned(take(std::move(prepared))), run_options.wants_metadata()};
}

struct OwnedPartialRun {
  SharedSession session;
  Owned<PartialRun> partial_run;
};

OwnedPartialRun set_up_partial_run(
    const SharedSession& open, nb::list feeds, nb::list fetches, nb::list targets) {
  auto from = to_refs(feeds), outputs = to_refs(fetches), nodes = to_refs(targets);
  auto prepared =
      without_gil([&] { return open->session().partial_run_setup(from, outputs, nodes); });
  return {open, Owned(take(std::move(prepared)))};
}

nb::list run_partially(OwnedPartialRun& owned, nb::list feeds, nb::list fetches) {
  auto values = to_feeds(feeds, owned.session->feed_rules());
  auto outputs = to_refs(fetches);
  auto result = without_gil([&] { return owned.partial_run->run(values, outputs); });
  owned.session->decrefs()->run();
  return to_python(take(std::move(result)), owned.session->is_remote());
}

void bind_callables(nb::module_& module) {
  nb::class_<OwnedCallable>(module, "Callable").def("call", &call, nb::arg("feeds"));
  nb::class_<OwnedPartialRun>(module, "PartialRun")
      .def("run", &run_partially, nb::arg("feeds"), nb::arg("fetches"))
      .def("cancel", [](OwnedPartialRun& owned) {
        without_gil([&] { owned.partial_run->cancel(); });
      });
}

/// (token, the values or None, the error or None) for each step that has ended.
nb::list take_ended(Completions& completions, OpenSession& open) {
  auto ended = without_gil([&] { return completions.take(); });
  open.decrefs()->run();
  nb::list list;
  for (auto& [token, values] : ended) {
    try {
      auto arrays = to_python(take(std::move(values)), open.is_remote());
      list.append(nb::make_tuple(token, arrays, nb::none()));
    } catch (nb::python_error& error) {
      list.append(nb::make_tuple(token, nb::none(), error.value()));
    }
  }
  return list;
}

std::unique_ptr<PendingStep> start(
    OpenSession& open, nb::list feeds, nb::list fetches, nb::list targets,
    const RunOptions& options) {
  auto values = to_feeds(feeds, open.feed_rules());
  auto outputs = to_refs(fetches), nodes = to_refs(targets);
  return without_gil([&] { return open.session().start(values, outputs, nodes, options); });
}

struct OwnedCompletions {
  explicit OwnedCompletions(SharedSession open)
      : session(std::move(open)), completions(std::make_unique<Completions>(session)) {}

  SharedSession session;
  Owned<Completions> completions;
};

void bind_completions(nb::module_& module) {
  nb::class_<OwnedCompletions>(module, "Completions")
      .def(nb::init<SharedSession>())
      .def_prop_ro(
          "descriptor", [](OwnedCompletions& owned) { return owned.completions->descriptor(); })
      .def(
          "start",
          [](OwnedCompletions& owned, uint64_t token, nb::list feeds, nb::list fetches,
             nb::list targets, nb::dict options) {
            auto step = start(*owned.session, feeds, fetches, targets, to_run_options(options));
            without_gil([&] { owned.completions->add(token, std::move(step)); });
          })
      .def(
          "cancel", [](OwnedCompletions& owned,
                       uint64_t token) { without_gil([&] { owned.completions->cancel(token); }); })
      .def("take", [](OwnedCompletions& owned) {
        return take_ended(*owned.completions, *owned.session);
      });
}

}  // namespace

void bind_session(nb::module_& module) {
  nb::class_<OpenSession>(module, "Session")
      .def("extend", &extend, nb::arg("builder"))
      .def(
          "run", &run, nb::arg("feeds"), nb::arg("fetches"), nb::arg("targets"), nb::arg("options"))
      .def(
          "make_callable", &make_callable, nb::arg("feeds"), nb::arg("fetches"), nb::arg("targets"),
          nb::arg("options"))
      .def(
          "set_up_partial_run", &set_up_partial_run, nb::arg("feeds"), nb::arg("fetches"),
          nb::arg("targets"))
      .def(
          "explain",
          [](OpenSession& open, nb::list feeds, nb::list fetches, nb::list targets) {
            auto names = to_refs(feeds), outputs = to_refs(fetches), nodes = to_refs(targets);
            return take(without_gil([&] { return open.session().explain(names, outputs, nodes); }));
          },
          nb::arg("feeds"), nb::arg("fetches"), nb::arg("targets"))
      .def(
          "start_runner",
          [](OpenSession& open, const std::string& name, const std::string& container,
             const std::vector<std::string>& enqueue_ops, const std::string& close_op,
             const std::string& cancel_op, const std::vector<int>& end_codes) {
            RunnerSpec spec{container, enqueue_ops, close_op, cancel_op, {}};
            for (auto code : end_codes) spec.end_codes.push_back(static_cast<Code>(code));
            check(without_gil([&] { return open.session().start_runner(name, spec); }));
          },
          nb::arg("name"), nb::arg("container"), nb::arg("enqueue_ops"), nb::arg("close_op"),
          nb::arg("cancel_op"), nb::arg("end_codes"))
      .def(
          "list_devices",
          [](OpenSession& open) {
            nb::list devices;
            for (const auto& device : open.list_devices()) devices.append(to_tuple(device));
            return devices;
          })
      .def_prop_ro("warnings", [](OpenSession& open) { return open.session().warnings(); })
      .def("close", [](OpenSession& open) {
        check(without_gil([&] { return open.session().close(); }));
      });
  module.def(
      "open_session",
      [](nb::dict options) {
        auto target = to_target(options);
        return take(without_gil([&] { return open(target); }));
      },
      nb::arg("options"));
  bind_callables(module);
  bind_completions(module);
}

}  // namespace troupe::python
