#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/interpreter/owned.hpp"
#include "troupe/capnp/python/native/sessions.hpp"
#include "troupe/capnp/server/server.hpp"

namespace troupe::python {
namespace {

using std::chrono::milliseconds;

using OwnedServer = Owned<Server>;

/// Calls `work` with the server, without the GIL.
template <class Work>
void call(OwnedServer& server, Work work) {
  check(without_gil([&] { return work(*server); }));
}

ServerOptions to_options(nb::dict given) {
  ServerOptions options;
  if (given.contains("bind_host")) options.bind_host = nb::cast<std::string>(given["bind_host"]);
  if (given.contains("threads")) options.devices.cpu.threads = nb::cast<int>(given["threads"]);
  if (given.contains("memory_limit"))
    options.devices.cpu.memory_limit = nb::cast<uint64_t>(given["memory_limit"]);
  if (given.contains("device_count"))
    options.devices.count = nb::cast<std::map<std::string, int>>(given["device_count"]);
  options.devices.gpu = to_gpu_options(given);
  if (given.contains("tcp_only")) options.tcp_only = nb::cast<bool>(given["tcp_only"]);
  return options;
}

}  // namespace

void bind_server(nb::module_& module) {
  nb::class_<OwnedServer>(module, "Server")
      .def("start", [](OwnedServer& server) { call(server, [](Server& s) { return s.start(); }); })
      .def(
          "drain",
          [](OwnedServer& server, int64_t deadline_ms) {
            call(server, [=](Server& s) { return s.drain(milliseconds(deadline_ms)); });
          },
          nb::arg("deadline_ms"))
      .def(
          "stop",
          [](OwnedServer& server, int64_t deadline_ms) {
            call(server, [=](Server& s) { return s.stop(milliseconds(deadline_ms)); });
          },
          nb::arg("deadline_ms"))
      .def("join", [](OwnedServer& server) { call(server, [](Server& s) { return s.join(); }); })
      .def_prop_ro("server_def", [](OwnedServer& server) { return server->server_def(); })
      .def_prop_ro("target", [](OwnedServer& server) { return server->target(); });
  module.def(
      "make_server",
      [](const ServerDef& def, nb::dict options) {
        return OwnedServer(take(Server::create(def, to_options(options))));
      },
      nb::arg("definition"), nb::arg("options"));
}

}  // namespace troupe::python
