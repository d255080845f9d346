#include "troupe/graph/ops/functional.hpp"

#include "troupe/graph/build/function_gradient.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The dtypes and shapes of the outputs are those of the function's results.
Status infer_call(ShapeInference& s) {
  const auto& function = s.attr<FunctionRef>("f");
  auto outputs = s.call(function, s.input_dtypes(), s.inputs());
  if (!outputs) return outputs.status();
  if (outputs->dtypes != s.attr<DTypes>("Tout"))
    return invalid_argument(
        "function '" + function.name() + "' has the results " +
        AttrValue(outputs->dtypes).to_string() + ", but Tout is " +
        AttrValue(s.attr<DTypes>("Tout")).to_string());
  for (size_t i = 0; i < outputs->shapes.size(); ++i)
    s.set(static_cast<int>(i), outputs->shapes[i]);
  return {};
}

Op make_call_op(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .inputs("args", "Tin")
      .outputs("output", "Tout")
      .attr("Tin", AttrType::dtypes)
      .attr("Tout", AttrType::dtypes)
      .attr("f", AttrType::function)
      .attr("config", "")
      .attr("config_proto", "")
      .attr("executor_type", "")
      .infer_shape(infer_call)
      .gradient(add_call_gradient);
}

}  // namespace

// The session replaces calls by the bodies of their functions (`passes/inline_functions.hpp`), so
// that each node of a body is placed by itself, and no device has a kernel for them.
void add_functional_ops(OpCatalog& catalog) {
  catalog.add(make_call_op(
      functional::call,
      "Calls a function of the graph: the outputs are its results. Its nodes may be on several\n"
      "devices."));
  catalog.add(make_call_op(
                  functional::stateful_call,
                  "As PartitionedCall, of a function with nodes that read or change state.")
                  .stateful());
}

}  // namespace troupe
