#include "troupe/graph/passes/fed_variables.hpp"

#include <algorithm>
#include <string_view>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

bool hands_on(std::string_view op) { return loops::passes_on(op) || loops::is_merge(op); }

/// Makes the node compute from the value what it computes of a variable; false for other nodes.
bool takes_value(NodeDef& def, DType dtype) {
  auto& attrs = def.attrs;
  auto become = [&](const char* op, const char* dtype_attr) {
    def.op = op;
    attrs.erase("dtype");
    attrs[dtype_attr] = dtype;
    return true;
  };
  if (hands_on(def.op)) {
    attrs["T"] = dtype;
    return true;
  }
  if (def.op == "ReadVariableOp") return become("Identity", "T");
  if (def.op == "VariableShape") return become("Shape", "T");
  if (def.op == "ResourceGatherNd") return become("GatherNd", "Tparams");
  if (def.op != "ResourceGather") return false;
  auto batch_dims = attrs.find("batch_dims");
  if (batch_dims != attrs.end() && *batch_dims->second.get<int64_t>() != 0) return false;
  attrs.erase("batch_dims");
  return become("Gather", "Tparams");
}

}  // namespace

bool is_variable_handle(const Graph& graph, Output output) {
  return graph.node(output.node).op->name() == "VarHandleOp";
}

FeedType feed_type(const Graph& graph, Output output) {
  if (!is_variable_handle(graph, output)) return {graph.dtype_of(output), graph.shape_of(output)};
  const auto& handle = graph.node(output.node);
  return {handle.attr<DType>("dtype"), handle.attr<Shape>("shape")};
}

Result<bool> FedVariables::adopt(
    const Graph& graph, NodeDef& def, const std::vector<std::string>& inputs) const {
  if (variables_.empty()) return false;
  auto found = std::ranges::find_if(
      inputs, [&](const std::string& input) { return variables_.contains(input); });
  if (found == inputs.end()) return false;
  auto output = graph.find_output(*found);
  if (!output) return output.status();
  auto is_handed_on = hands_on(def.op);
  if (takes_value(def, graph.dtype_of(*output))) return is_handed_on;
  return invalid_argument(
      "input " + std::to_string(found - inputs.begin()) + " expects a variable, but '" +
      variables_.at(*found) + "' is fed a value");
}

void FedVariables::hand_on(const Graph& graph, NodeId id) {
  const auto& node = graph.node(id);
  auto name = variables_.at(graph.name_of(node.inputs[0]));
  // The second output of a Merge says which of its inputs came.
  auto count = loops::is_merge(node.op->name()) ? 1 : static_cast<int>(node.output_dtypes.size());
  for (int i = 0; i < count; ++i) add(graph.name_of({id, i}), name);
}

}  // namespace troupe
