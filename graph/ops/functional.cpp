#include "troupe/graph/ops/functional.hpp"

#include "troupe/graph/build/function_gradient.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The dtypes and shapes of the outputs are those of the function's results. Its arguments are the
/// inputs from number `first` on.
Status infer_call(ShapeInference& s, int first) {
  const auto& function = s.attr<FunctionRef>("f");
  auto outputs = s.call(
      function, {s.input_dtypes().begin() + first, s.input_dtypes().end()},
      {s.inputs().begin() + first, s.inputs().end()});
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

/// (x, y, du) -> (dx, dy) for u = f(x, y).
Status infer_gradient(ShapeInference& s) {
  const auto& function = s.attr<FunctionRef>("f");
  auto count = s.outputs().size();
  if (s.inputs().size() < count)
    return invalid_argument(
        "a gradient has as many inputs as outputs or more: " + std::to_string(s.inputs().size()) +
        " < " + std::to_string(count));
  const DTypes& given = s.input_dtypes();
  auto split = given.begin() + static_cast<std::ptrdiff_t>(count);
  auto outputs = s.call(
      function, {given.begin(), split},
      {s.inputs().begin(), s.inputs().begin() + static_cast<std::ptrdiff_t>(count)});
  if (!outputs) return outputs.status();
  if (DTypes(split, given.end()) != outputs->dtypes)
    return invalid_argument(
        "function '" + function.name() + "' has the results " +
        AttrValue(outputs->dtypes).to_string() + ", but the gradients of its results are " +
        AttrValue(DTypes(split, given.end())).to_string());
  for (size_t i = 0; i < count; ++i) s.set(static_cast<int>(i), s.input(static_cast<int>(i)));
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
      .infer_shape([](ShapeInference& s) { return infer_call(s, 0); })
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
  catalog.add(Op(functional::remote_call)
      .doc("As StatefulPartitionedCall, on the device that `target` names, as far as the function\n"
           "leaves it open. `target` is known before the step (Unimplemented else).")
      .input("target", DType::string)
      .inputs("args", "Tin")
      .outputs("output", "Tout")
      .attr("Tin", AttrType::dtypes)
      .attr_at_least("Tin", 1)
      .attr("Tout", AttrType::dtypes)
      .attr_at_least("Tout", 1)
      .attr("f", AttrType::function)
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(0, 0); !status.ok()) return status;
        return infer_call(s, 1);
      })
      .stateful());
  catalog.add(Op(functional::symbolic_gradient)
      .doc("The derivatives of a function with respect to its arguments: the inputs are these,\n"
           "then the gradients with respect to its results. Zeros where a result does not depend\n"
           "on an argument.")
      .inputs("input", "Tin")
      .outputs("output", "Tout")
      .attr("Tin", AttrType::dtypes)
      .attr_at_least("Tin", 1)
      .attr("Tout", AttrType::dtypes)
      .attr_at_least("Tout", 1)
      .attr("f", AttrType::function)
      .infer_shape(infer_gradient));
}

}  // namespace troupe
