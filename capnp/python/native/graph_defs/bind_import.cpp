#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/import/import_graph.hpp"

namespace troupe::python {
namespace {

nb::bytes to_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

std::string to_string(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

/// The number of the first node, how many came in, the unused names of input_map, and the names
/// that have a suffix.
nb::tuple import_bytes(
    const Builder& builder, const nb::bytes& graph_def, const std::string& prefix,
    const std::map<std::string, std::string>& input_map, const std::string& device,
    const nb::bytes& producer_ops) {
  ImportOptions options{
      .prefix = prefix,
      .input_map = input_map,
      .device = device,
      .producer_ops = to_string(producer_ops),
      .unique_names = true};
  auto bytes = to_string(graph_def);
  auto imported = take(without_gil([&] { return import_graph_def(builder, bytes, options); }));
  return nb::make_tuple(imported.first, imported.count, imported.unused, imported.renamed);
}

/// The variable whose handle and initializer a graph has, under that name.
Variable make_variable(
    const Builder& builder, const std::string& name, const Value& handle,
    const Value& initializer) {
  const auto& node = builder.graph().node(handle.output().node);
  auto* dtype = node.attrs.contains("dtype") ? node.attrs.at("dtype").get<DType>() : nullptr;
  auto* shape = node.attrs.contains("shape") ? node.attrs.at("shape").get<Shape>() : nullptr;
  if (!node.op->makes_resource_handle() || !dtype || !shape)
    raise(invalid_argument("node '" + node.name + "' makes no handle of a variable"));
  auto here = builder.within(name + "/").on(node.device);
  return {
      .name = name,
      .handle = here.value(handle.output()),
      .initializer = here.value(initializer.output()),
      .dtype = *dtype,
      .shape = *shape};
}

}  // namespace

void bind_import(nb::module_& module) {
  module.def(
      "import_graph_def", &import_bytes, nb::arg("builder"), nb::arg("graph_def"),
      nb::arg("prefix"), nb::arg("input_map"), nb::arg("device"), nb::arg("producer_ops"));
  module.def(
      "export_graph_def",
      [](const Builder& builder, int first) {
        std::vector<NodeId> nodes;
        for (int id = std::max(first, 0); id < builder.graph().size(); ++id) nodes.push_back(id);
        return to_bytes(take(export_graph_def(builder.graph(), nodes)));
      },
      nb::arg("builder"), nb::arg("first"));
  module.def(
      "export_node_def",
      [](const Builder& builder, int id) {
        if (id < 0 || id >= builder.graph().size()) raise(not_found("the graph has no such node"));
        return to_bytes(take(export_node_def(builder.graph(), id)));
      },
      nb::arg("builder"), nb::arg("id"));
  module.def(
      "make_variable", &make_variable, nb::arg("builder"), nb::arg("name"), nb::arg("handle"),
      nb::arg("initializer"));
  module.def(
      "is_graph_def", [](const nb::bytes& bytes) { return is_graph_def(to_string(bytes)); },
      nb::arg("serialized"));
  module.def(
      "graph_def_from_text",
      [](const std::string& text) { return to_bytes(take(graph_def_from_text(text))); },
      nb::arg("text"));
}

}  // namespace troupe::python
