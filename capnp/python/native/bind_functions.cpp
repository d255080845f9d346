#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/capnp/python/native/interpreter/function_threads.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe::python {
namespace {

using SharedThreads = std::shared_ptr<FunctionThreads>;

Kernel make_function_kernel(const Node& node, const SharedThreads& threads) {
  auto token = node.attr<std::string>("token");
  auto outputs = node.attr<DTypes>("Tout");
  Kernel kernel;
  kernel.start = [=](Launch& launch, Kernel::Done done) {
    auto call = std::make_shared<FunctionCall>(token, outputs, launch, std::move(done));
    launch.on_cancel([call] { call->end(cancelled("nothing waits for the function any more")); });
    if (auto status = threads->add(call); !status.ok()) call->end(std::move(status));
  };
  kernel.awaits = "the Python function '" + token + "'";
  return kernel;
}

Value add_argument(
    const Builder& inner, const std::string& name, int64_t index, int dtype, nb::handle shape) {
  auto value = inner.named(name).op(
      transfer::arg, {}, {{"T", to_dtype(dtype)}, {"index", index}, {"shape", to_shape(shape)}});
  check(inner.take_status());
  return value;
}

/// Adds the function that the nodes of `inner` are, with those that it calls.
void end_function(
    const Builder& outer, const std::string& name, const Builder& inner,
    const std::vector<Value>& results) {
  std::vector<std::pair<std::string, Output>> named;
  for (const auto& result : results)
    named.emplace_back("result" + std::to_string(named.size()), result.output());
  auto functions = inner.graph().library().defs_from(0);
  std::erase_if(
      functions, [&](const auto& def) { return outer.graph().library().contains(def.name); });
  functions.push_back(make_function(name, inner.graph(), named, /*keep_all=*/true));
  check(outer.add_functions(std::move(functions)));
}

/// Whether the same node in a function makes what it makes here: not if it is fed, or has state.
/// Ops that make datasets count as stateful only so that nobody computes them early.
bool is_constant_source(const Node& node) {
  if (node.op->name() == "Placeholder" || node.op->makes_resource_handle()) return false;
  return !node.op->is_stateful() || std::ranges::count(node.output_dtypes, DType::variant) > 0;
}

/// Adds a function without arguments whose result is the value, with copies of all nodes that it is
/// made by; what a copied node only runs after, such as an assertion, stays outside, as it may have
/// state. InvalidArgument for one whose copy would be another thing.
void add_factory(const Builder& outer, const std::string& name, const Value& value) {
  const auto& graph = outer.graph();
  std::vector<bool> is_needed(static_cast<size_t>(graph.size()));
  is_needed[static_cast<size_t>(value.output().node)] = true;
  FunctionDef def{.name = name, .arguments = {}, .results = {}, .nodes = {}};
  for (auto id = value.output().node; id >= 0; --id) {
    if (!is_needed[static_cast<size_t>(id)]) continue;
    const auto& node = graph.node(id);
    if (!is_constant_source(node)) {
      auto what = node.op->name() == "Placeholder" ? "placeholder" : "stateful node";
      check(invalid_argument(
          std::string("Cannot capture a ") + what + " (name:" + node.name +
          ", type:" + node.op->name() + ") by value."));
    }
    for (auto input : node.inputs) is_needed[static_cast<size_t>(input.node)] = true;
    auto& copy = def.nodes.emplace_back(graph.def_of(id));
    copy.inputs.resize(node.inputs.size());
    copy.device = "";
  }
  std::ranges::reverse(def.nodes);
  def.results.push_back({"dataset", graph.name_of(value.output()), DType::variant});
  check(outer.add_functions({std::move(def)}));
}

}  // namespace

void bind_functions(nb::module_& module) {
  auto threads = std::make_shared<FunctionThreads>();
  KernelCatalog kernels;
  for (const auto* op : {"PyFunc", "PyFuncStateless"})
    kernels.add(op, [threads](const Node& node) -> Result<Kernel> {
      return make_function_kernel(node, threads);
    });
  check(loaded_kernels::add(kernels));
  module.def("stop_functions", [threads] { without_gil([&] { threads->stop(); }); });
  module.def(
      "begin_function",
      [](const Builder& outer) {
        return Builder(Graph(outer.graph().shared_catalog(), outer.graph().shared_library()));
      },
      nb::arg("outer"));
  module.def(
      "add_argument", &add_argument, nb::arg("inner"), nb::arg("name"), nb::arg("index"),
      nb::arg("dtype"), nb::arg("shape").none());
  module.def(
      "end_function", &end_function, nb::arg("outer"), nb::arg("name"), nb::arg("inner"),
      nb::arg("results"));
  module.def("add_factory", &add_factory, nb::arg("outer"), nb::arg("name"), nb::arg("value"));
}

}  // namespace troupe::python
