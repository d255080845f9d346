#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/interpreter/owned.hpp"
#include "troupe/capnp/python/native/sessions.hpp"

namespace troupe::python {
namespace {

using std::chrono::milliseconds;

using OwnedClient = Owned<Client>;

/// Calls `work` with the client, without the GIL.
template <class Work>
auto call(OwnedClient& client, Work work) {
  return without_gil([&] { return work(*client); });
}

nb::list to_texts(const std::vector<Status>& statuses) {
  nb::list list;
  for (const auto& status : statuses) list.append(status.to_string());
  return list;
}

nb::tuple list_devices(OwnedClient& client, int64_t timeout_ms) {
  auto found =
      take(call(client, [&](Client& c) { return c.list_devices(milliseconds(timeout_ms)); }));
  nb::list devices;
  for (const auto& device : found.devices) devices.append(to_tuple(device));
  return nb::make_tuple(devices, to_texts(found.missing));
}

/// (elements, per second, milliseconds since the latest or None, waiting, those that wait).
nb::tuple traffic_tuple(const QueueTraffic& traffic) {
  nb::object idle = nb::none();
  if (traffic.idle) idle = nb::int_(traffic.idle->count());
  nb::list waiters;
  for (const auto& waiter : traffic.waiters)
    waiters.append(nb::make_tuple(waiter.node, waiter.age.count()));
  return nb::make_tuple(
      traffic.elements, traffic.per_second, idle, traffic.waiting, nb::tuple(waiters));
}

nb::object queue_tuple(const std::optional<QueueUse>& queue) {
  if (!queue) return nb::none();
  return nb::make_tuple(
      queue->capacity, traffic_tuple(queue->enqueues), traffic_tuple(queue->dequeues));
}

nb::tuple list_resources(OwnedClient& client, int64_t timeout_ms) {
  auto found =
      take(call(client, [&](Client& c) { return c.list_resources(milliseconds(timeout_ms)); }));
  nb::list resources;
  for (const auto& resource : found.resources)
    resources.append(nb::make_tuple(
        resource.name.name, resource.name.container, resource.kind, resource.device,
        static_cast<int>(resource.dtype), to_python(resource.shape), resource.bytes,
        queue_tuple(resource.queue)));
  return nb::make_tuple(resources, to_texts(found.missing));
}

nb::tuple list_sessions(OwnedClient& client, int64_t timeout_ms) {
  auto found =
      take(call(client, [&](Client& c) { return c.list_sessions(milliseconds(timeout_ms)); }));
  nb::list sessions;
  for (const auto& session : found.sessions)
    sessions.append(nb::make_tuple(
        session.id, session.task, session.client, session.runner, session.age.count(),
        session.nodes, session.running_steps, session.steps));
  return nb::make_tuple(sessions, to_texts(found.missing));
}

/// The exception of an error; None of ok.
nb::object to_exception(const Status& status) {
  if (status.ok()) return nb::none();
  try {
    raise(status);
  } catch (nb::python_error& error) {
    return nb::borrow(error.value());
  }
}

nb::tuple list_runners(OwnedClient& client, int64_t timeout_ms) {
  auto found =
      take(call(client, [&](Client& c) { return c.list_runners(milliseconds(timeout_ms)); }));
  nb::list runners;
  for (const auto& runner : found.runners)
    runners.append(nb::make_tuple(
        runner.name.name, runner.name.container, runner.task, to_string(runner.state),
        std::chrono::duration<double>(runner.age).count(), runner.steps, runner.failures,
        to_exception(runner.last_error), to_exception(runner.status)));
  return nb::make_tuple(runners, to_texts(found.missing));
}

/// A method that has a runner do something.
template <auto act>
void control_runner(
    OwnedClient& client, const std::string& name, const std::string& container,
    int64_t timeout_ms) {
  check(call(client, [&](Client& c) {
    return (c.*act)({container, name}, milliseconds(timeout_ms));
  }));
}

void reset(OwnedClient& client, const std::vector<std::string>& containers, int64_t timeout_ms) {
  check(call(client, [&](Client& c) { return c.reset(containers, milliseconds(timeout_ms)); }));
}

}  // namespace

void bind_client(nb::module_& module) {
  nb::class_<OwnedClient>(module, "Client")
      .def("list_devices", &list_devices, nb::arg("timeout_ms"))
      .def("list_resources", &list_resources, nb::arg("timeout_ms"))
      .def("list_runners", &list_runners, nb::arg("timeout_ms"))
      .def("list_sessions", &list_sessions, nb::arg("timeout_ms"))
      .def(
          "pause_runner", &control_runner<&Client::pause_runner>, nb::arg("name"),
          nb::arg("container"), nb::arg("timeout_ms"))
      .def(
          "resume_runner", &control_runner<&Client::resume_runner>, nb::arg("name"),
          nb::arg("container"), nb::arg("timeout_ms"))
      .def(
          "stop_runner", &control_runner<&Client::stop_runner>, nb::arg("name"),
          nb::arg("container"), nb::arg("timeout_ms"))
      .def("reset", &reset, nb::arg("containers"), nb::arg("timeout_ms"))
      .def(
          "reset_all",
          [](OwnedClient& client, int64_t timeout_ms) {
            check(call(client, [&](Client& c) { return c.reset_all(milliseconds(timeout_ms)); }));
          },
          nb::arg("timeout_ms"))
      .def(
          "stop",
          [](OwnedClient& client, int64_t timeout_ms) {
            check(call(client, [&](Client& c) { return c.stop(milliseconds(timeout_ms)); }));
          },
          nb::arg("timeout_ms"));
  module.def(
      "connect",
      [](const std::string& target, int64_t timeout_ms) {
        return OwnedClient(take(without_gil([&, program = program_name()] {
          return Client::connect(
              target,
              {.timeout = milliseconds(timeout_ms), .on_wait = &log_warning, .program = program});
        })));
      },
      nb::arg("target"), nb::arg("timeout_ms"));
}

}  // namespace troupe::python
