#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/run_metadata.hpp"

namespace troupe::python {
namespace {

nb::dict to_dict(const DeviceRun& run);

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

nb::dict to_dict(const NodeRun& run) {
  nb::dict facts;
  facts["node"] = run.node;
  facts["op"] = run.op;
  facts["begin"] = seconds(run.begin);
  facts["end"] = seconds(run.end);
  facts["thread"] = run.thread;
  facts["bytes"] = run.bytes;
  facts["tensor"] = run.tensor;
  facts["peer"] = run.peer;
  return facts;
}

nb::dict to_dict(const NodeDef& node) {
  nb::dict facts;
  facts["name"] = node.name;
  facts["op"] = node.op;
  facts["device"] = node.device;
  facts["inputs"] = nb::cast(node.inputs);
  return facts;
}

template <class T>
nb::list to_dicts(const std::vector<T>& things) {
  nb::list list;
  for (const auto& thing : things) list.append(to_dict(thing));
  return list;
}

nb::dict to_dict(const DeviceRun& run) {
  nb::dict facts;
  facts["device"] = run.device;
  facts["begin"] = seconds(run.begin);
  facts["end"] = seconds(run.end);
  facts["duration"] = seconds(run.duration);
  facts["memory_peak"] = run.memory_peak;
  facts["nodes"] = to_dicts(run.nodes);
  facts["graph"] = to_dicts(run.graph);
  return facts;
}

}  // namespace

void bind_metadata(nb::module_& module) {
  nb::class_<RunMetadata>(module, "RunMetadata")
      .def_prop_ro("devices", [](const RunMetadata& m) { return to_dicts(m.devices); })
      .def(
          "to_dot",
          [](const RunMetadata& m, int scope_depth) {
            return take(to_dot(m, {.scope_depth = scope_depth}));
          },
          nb::arg("scope_depth"))
      .def("to_chrome_trace", &to_chrome_trace);
}

}  // namespace troupe::python
