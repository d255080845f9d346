#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/context_attrs.hpp"
#include "troupe/graph/function_body.hpp"

namespace troupe::python {
namespace {

/// The name of a result, and its value in the body.
using NamedResult = std::pair<std::string, Value>;

/// Adds the function that a graph describes, and those that it calls, to another graph.
void add_function(
    const Builder& builder, const std::string& name, const Builder& body,
    const std::vector<NamedResult>& results) {
  std::vector<std::pair<std::string, Output>> outputs;
  for (const auto& [result, value] : results) outputs.emplace_back(result, value.output());
  auto functions = body.graph().library().defs_from(0);
  auto def = make_function(name, body.graph(), outputs, /*keep_all=*/true);
  note_contexts(body, def);
  functions.push_back(std::move(def));
  if (auto status = builder.add_functions(std::move(functions)); !status.ok()) raise(status);
}

const Function& function_of(const Builder& builder, const std::string& name) {
  return *take(builder.graph().library().find(name));
}

}  // namespace

void bind_graph_functions(nb::module_& module) {
  module.def(
      "add_function", &add_function, nb::arg("builder"), nb::arg("name"), nb::arg("body"),
      nb::arg("results"));
  module.def(
      "has_function",
      [](const Builder& b, const std::string& name) { return b.graph().library().contains(name); },
      nb::arg("builder"), nb::arg("name"));
  module.def(
      "is_stateful_function",
      [](const Builder& b, const std::string& name) { return function_of(b, name).is_stateful; },
      nb::arg("builder"), nb::arg("name"));
  module.def(
      "result_dtypes",
      [](const Builder& b, const std::string& name) {
        std::vector<int> dtypes;
        for (const auto& result : function_of(b, name).def.results)
          dtypes.push_back(static_cast<int>(result.dtype));
        return dtypes;
      },
      nb::arg("builder"), nb::arg("name"));
}

}  // namespace troupe::python
