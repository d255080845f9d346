#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/draw/explanation_table.hpp"
#include "troupe/graph/run_metadata.hpp"

namespace troupe::python {
namespace {

nb::dict to_dict(const DeviceRun& run);

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

nb::dict to_dict(const NodeRun& run) {
  nb::dict fields;
  fields["node"] = run.node;
  fields["op"] = run.op;
  fields["begin"] = seconds(run.begin);
  fields["end"] = seconds(run.end);
  fields["thread"] = run.thread;
  fields["bytes"] = run.bytes;
  fields["tensor"] = run.tensor;
  fields["peer"] = run.peer;
  return fields;
}

nb::dict to_dict(const NodeDef& node) {
  nb::dict fields;
  fields["name"] = node.name;
  fields["op"] = node.op;
  fields["device"] = node.device;
  fields["inputs"] = nb::cast(node.inputs);
  return fields;
}

template <class T>
nb::list to_dicts(const std::vector<T>& items) {
  nb::list list;
  for (const auto& item : items) list.append(to_dict(item));
  return list;
}

nb::dict to_dict(const DeviceRun& run) {
  nb::dict fields;
  fields["device"] = run.device;
  fields["begin"] = seconds(run.begin);
  fields["end"] = seconds(run.end);
  fields["duration"] = seconds(run.duration);
  fields["memory_peak"] = run.memory_peak;
  fields["nodes"] = to_dicts(run.nodes);
  fields["graph"] = to_dicts(run.graph);
  return fields;
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
  nb::class_<StepExplanation>(module, "StepExplanation")
      .def("to_table", &to_table)
      .def("to_json", [](const StepExplanation& explanation) { return to_json(explanation); })
      .def(
          "to_dot",
          [](const StepExplanation& explanation, int scope_depth) {
            return to_dot(explanation, {.scope_depth = scope_depth});
          },
          nb::arg("scope_depth"));
}

}  // namespace troupe::python
