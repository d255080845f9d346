#include "troupe/tests/devices/reference/form_graph.hpp"

namespace troupe::testing {

std::string form_of(const RecordedCall& call) {
  constexpr std::string_view prefix = "Resource";
  return call.op.starts_with(prefix) ? call.op.substr(prefix.size()) : "";
}

std::vector<Ref> FormGraph::add(const RecordedCall& call, bool is_reference) {
  Values inputs;
  std::vector<Ref> results;
  for (const auto& variable : call.variables)
    inputs.push_back(add_variable(call.where, variable, is_reference, results));
  for (const auto& input : call.inputs) {
    inputs.push_back(b.placeholder(input.dtype()));
    feeds.push_back({inputs.back(), input});
  }
  auto attrs = call.attrs;
  if (auto dtype = attrs.extract("dtype"); dtype && is_reference)
    attrs.emplace("T", dtype.mapped());
  else if (dtype) attrs.insert(std::move(dtype));
  node = b.op(is_reference ? form_of(call) : call.op, inputs, attrs);
  if (b.status().ok() && !call.outputs.empty()) results.insert(results.begin(), node);
  return results;
}

Value FormGraph::add_variable(
    const std::string& where, const Tensor& value, bool is_reference, std::vector<Ref>& reads) {
  auto name =
      (is_reference ? "reference " : "handle ") + std::to_string(reads.size()) + " of " + where;
  Attrs attrs = {{"dtype", value.dtype()}, {"shape", value.shape()}, {"shared_name", name}};
  auto variable = b.op(is_reference ? "VariableV2" : "VarHandleOp", {}, attrs);
  auto initial = b.constant(value);
  initializers.push_back(b.op(is_reference ? "Assign" : "AssignVariableOp", {variable, initial}));
  if (is_reference) reads.push_back(variable);
  else reads.push_back(b.op("ReadVariableOp", {variable}, {{"dtype", value.dtype()}}));
  return variable;
}

}  // namespace troupe::testing
