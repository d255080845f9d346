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

nb::tuple to_answer(OpenSession& open, Result<Tensors> values, nb::object metadata) {
  open.released()->drop();
  return nb::make_tuple(to_python(take(std::move(values)), open.is_remote()), metadata);
}

/// Waits for the step and lets it go, so that what it fetched belongs to Python alone.
nb::tuple finish(OpenSession& open, std::unique_ptr<PendingStep> step, bool wants_metadata) {
  RunMetadata metadata;
  auto values = unlocked([&] {
    auto answer = wait_interruptibly(*step);
    if (wants_metadata) metadata = step->metadata();
    step.reset();
    return answer;
  });
  return to_answer(
      open, std::move(values),
      wants_metadata ? nb::cast(std::move(metadata)) : nb::object(nb::none()));
}

std::unique_ptr<PendingStep> start(
    OpenSession& open, nb::list feeds, nb::list fetches, nb::list targets,
    const RunOptions& options) {
  auto values = to_feeds(feeds, open.feed_rules());
  auto outputs = to_refs(fetches);
  auto nodes = to_refs(targets);
  return unlocked([&] { return open.session().start(values, outputs, nodes, options); });
}

nb::tuple run(
    OpenSession& open, nb::list feeds, nb::list fetches, nb::list targets, nb::dict options) {
  auto run_options = to_run_options(options);
  auto step = start(open, feeds, fetches, targets, run_options);
  return finish(open, std::move(step), run_options.wants_metadata());
}

void extend(OpenSession& open, const Builder& builder) {
  check(unlocked([&] { return open.session().extend(builder.graph()); }));
}

/// A compiled step; it ends before its session does.
struct HeldCallable {
  SharedSession session;
  Owned<Callable> callable;
  bool wants_metadata;
};

Tensors to_tensors(nb::list feeds, const FeedRules& rules) {
  Tensors tensors;
  for (auto& feed : to_feeds(feeds, rules)) tensors.push_back(std::move(feed.value));
  return tensors;
}

nb::tuple call(HeldCallable& held, nb::list feeds) {
  auto tensors = to_tensors(feeds, held.session->feed_rules());
  auto step = unlocked([&] { return held.callable->start(tensors); });
  return finish(*held.session, std::move(step), held.wants_metadata);
}

HeldCallable make_callable(
    const SharedSession& open, nb::list feeds, nb::list fetches, nb::list targets,
    nb::dict options) {
  auto from = to_refs(feeds), outputs = to_refs(fetches), nodes = to_refs(targets);
  auto run_options = to_run_options(options);
  auto made =
      unlocked([&] { return open->session().make_callable(from, outputs, nodes, run_options); });
  return {open, Owned(take(std::move(made))), run_options.wants_metadata()};
}

struct HeldPartialRun {
  SharedSession session;
  Owned<PartialRun> partial_run;
};

HeldPartialRun set_up_partial_run(
    const SharedSession& open, nb::list feeds, nb::list fetches, nb::list targets) {
  auto from = to_refs(feeds), outputs = to_refs(fetches), nodes = to_refs(targets);
  auto made = unlocked([&] { return open->session().partial_run_setup(from, outputs, nodes); });
  return {open, Owned(take(std::move(made)))};
}

nb::list run_partially(HeldPartialRun& held, nb::list feeds, nb::list fetches) {
  auto values = to_feeds(feeds, held.session->feed_rules());
  auto outputs = to_refs(fetches);
  auto answer = unlocked([&] { return held.partial_run->run(values, outputs); });
  held.session->released()->drop();
  return to_python(take(std::move(answer)), held.session->is_remote());
}

void bind_made(nb::module_& module) {
  nb::class_<HeldCallable>(module, "Callable").def("call", &call, nb::arg("feeds"));
  nb::class_<HeldPartialRun>(module, "PartialRun")
      .def("run", &run_partially, nb::arg("feeds"), nb::arg("fetches"))
      .def("cancel", [](HeldPartialRun& held) { unlocked([&] { held.partial_run->cancel(); }); });
}

/// (token, the values or None, the error or None) for each step that has ended.
nb::list take_ended(Completions& completions, OpenSession& open) {
  auto ended = unlocked([&] { return completions.take(); });
  open.released()->drop();
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

struct HeldCompletions {
  explicit HeldCompletions(SharedSession open)
      : session(std::move(open)), completions(std::make_unique<Completions>(session)) {}

  SharedSession session;
  Owned<Completions> completions;
};

void bind_completions(nb::module_& module) {
  nb::class_<HeldCompletions>(module, "Completions")
      .def(nb::init<SharedSession>())
      .def_prop_ro(
          "descriptor", [](HeldCompletions& held) { return held.completions->descriptor(); })
      .def(
          "start",
          [](HeldCompletions& held, uint64_t token, nb::list feeds, nb::list fetches,
             nb::list targets, nb::dict options) {
            auto step = start(*held.session, feeds, fetches, targets, to_run_options(options));
            unlocked([&] { held.completions->add(token, std::move(step)); });
          })
      .def(
          "cancel", [](HeldCompletions& held,
                       uint64_t token) { unlocked([&] { held.completions->cancel(token); }); })
      .def("take", [](HeldCompletions& held) {
        return take_ended(*held.completions, *held.session);
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
      .def_prop_ro("warnings", [](OpenSession& open) { return open.session().warnings(); })
      .def("close", [](OpenSession& open) {
        check(unlocked([&] { return open.session().close(); }));
      });
  module.def(
      "open_session",
      [](nb::dict options) {
        auto target = to_target(options);
        return take(unlocked([&] { return open(target); }));
      },
      nb::arg("options"));
  bind_made(module);
  bind_completions(module);
}

}  // namespace troupe::python
