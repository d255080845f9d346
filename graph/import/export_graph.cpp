#include <troupe_proto/graph.pb.h>

#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "troupe/graph/function_body.hpp"
#include "troupe/graph/import/attr_proto.hpp"
#include "troupe/graph/import/function_outputs.hpp"
#include "troupe/graph/import/graph_reader.hpp"
#include "troupe/graph/import/import_graph.hpp"
#include "troupe/graph/import/message_bytes.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/proto/tensor_proto.hpp"

namespace troupe {
namespace {

/// Programs that know functions of this form.
constexpr int function_min_consumer = 12;

/// Ops that TensorFlow does not have, whose nodes are left out: they have no outputs. What its
/// programs do instead they do outside of the graph.
bool is_own_op(std::string_view op) { return op == "RemoveCheckpoint"; }

bool is_exported(const Graph& graph, std::string_view control_input) {
  auto id = graph.find(control_input.substr(1));
  return !id || !is_own_op(graph.node(*id).op->name());
}

/// "node" for output 0, "node:1" for others.
std::string input_name(const std::string& input) {
  return input.ends_with(":0") ? input.substr(0, input.size() - 2) : input;
}

void write_node(const Graph& graph, const NodeDef& node, proto::NodeDef& message) {
  message.set_name(node.name);
  message.set_op(node.op);
  message.set_device(node.device);
  for (const auto& input : node.inputs)
    if (!input.starts_with('^') || is_exported(graph, input)) message.add_input(input_name(input));
  auto& attrs = *message.mutable_attr();
  for (const auto& [name, value] : node.attrs)
    if (!is_internal_attr(name)) attrs[name] = attr_to_proto(value);
}

/// A gradient of a call has copies of nodes of that call, which do not run again here. TensorFlow
/// runs them again, so that the result is the same only if they have no state.
Status check_gradient_call(const Graph& graph, const NodeDef& node) {
  if (!node.attrs.contains(functional::forward_call_attr)) return {};
  for (const auto& function : functions_in(node)) {
    auto found = graph.library().find(function.name());
    if (found && (*found)->is_stateful)
      return unimplemented("a GraphDef cannot have the gradient of a call of a function with state")
          .at({.node = node.name, .op = node.op});
  }
  return {};
}

/// Notes what the nodes name as the gradient functions of what they call.
void note_gradients(const NodeDef& node, std::map<std::string, std::string>& gradients) {
  auto gradient = node.attrs.find(functional::gradient_function_attr);
  auto called = node.attrs.find("f");
  if (gradient == node.attrs.end() || called == node.attrs.end()) return;
  auto *from = called->second.get<FunctionRef>(), *to = gradient->second.get<FunctionRef>();
  if (from && to) gradients.emplace(from->name(), to->name());
}

class FunctionWriter {
 public:
  FunctionWriter(const Graph& graph, const Function& function, proto::FunctionDef& message)
      : graph_(graph), function_(function), message_(message) {}

  Status write() {
    const auto& def = function_.def;
    auto body = make_body(def, {}, graph_.shared_catalog(), graph_.shared_library());
    if (!body) return body.status();
    auto& signature = *message_.mutable_signature();
    signature.set_name(def.name);
    signature.set_is_stateful(function_.is_stateful);
    for (const auto& argument : def.arguments) write_argument(argument);
    for (const auto& result : def.results) {
      auto output = body->find_output(result.output);
      if (!output) return output.status();
      auto& written = *signature.add_output_arg();
      written.set_name(result.name);
      written.set_type(dtype_to_proto(result.dtype));
      (*message_.mutable_ret())[result.name] = function_output_name(*body, *output);
    }
    for (const auto& node : body->nodes())
      if (node.op->name() != transfer::arg)
        if (auto status = write_body_node(*body, node); !status.ok()) return status;
    return {};
  }

 private:
  void write_argument(const FunctionArgument& argument) {
    auto index = static_cast<uint32_t>(message_.signature().input_arg_size());
    auto& written = *message_.mutable_signature()->add_input_arg();
    written.set_name(argument.name);
    written.set_type(dtype_to_proto(argument.dtype));
    if (!argument.shape.has_rank() || argument.dtype == DType::resource) return;
    auto& attrs = *(*message_.mutable_arg_attr())[index].mutable_attr();
    *attrs["_output_shapes"].mutable_list()->add_shape() = shape_to_proto(argument.shape);
  }

  Status write_body_node(const Graph& body, const Node& node) {
    auto def = body.def_of(node.id);
    if (auto status = check_gradient_call(graph_, def); !status.ok()) return status;
    auto& written = *message_.add_node_def();
    write_node(body, def, written);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      written.set_input(static_cast<int>(i), function_output_name(body, node.inputs[i]));
    if (!node.op->is_stateful()) return {};
    // TensorFlow runs only what the results need, and what is named here.
    (*message_.mutable_control_ret())[node.name] = node.name;
    message_.mutable_signature()->add_control_output(node.name);
    return {};
  }

  const Graph& graph_;
  const Function& function_;
  proto::FunctionDef& message_;
};

}  // namespace

Result<std::string> export_graph_def(const Graph& graph, const std::vector<NodeId>& nodes) {
  proto::GraphDef message;
  std::map<std::string, std::string> gradients;
  for (auto id : nodes) {
    if (is_own_op(graph.node(id).op->name())) continue;
    auto def = graph.def_of(id);
    if (auto status = check_gradient_call(graph, def); !status.ok()) return status;
    note_gradients(def, gradients);
    write_node(graph, def, *message.add_node());
  }
  for (const auto& function : graph.library().all()) {
    for (const auto& node : function->def.nodes) note_gradients(node, gradients);
    if (auto status =
            FunctionWriter(graph, *function, *message.mutable_library()->add_function()).write();
        !status.ok())
      return status;
  }
  for (const auto& [function, gradient] : gradients) {
    auto& written = *message.mutable_library()->add_gradient();
    written.set_function_name(function);
    written.set_gradient_func(gradient);
  }
  message.mutable_versions()->set_producer(graph_def_version);
  if (message.has_library()) message.mutable_versions()->set_min_consumer(function_min_consumer);
  if (message.ByteSizeLong() > std::numeric_limits<int32_t>::max())
    return invalid_argument("GraphDef cannot be larger than 2GB.");
  return message_bytes(message);
}

Result<std::string> export_node_def(const Graph& graph, NodeId node) {
  proto::NodeDef message;
  write_node(graph, graph.def_of(node), message);
  return message_bytes(message);
}

Result<std::string> export_graph_def(const Graph& graph) {
  std::vector<NodeId> nodes(static_cast<size_t>(graph.size()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return export_graph_def(graph, nodes);
}

}  // namespace troupe
