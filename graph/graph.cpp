#include "troupe/graph/graph.hpp"

#include <algorithm>
#include <charconv>

#include "troupe/graph/function_body.hpp"
#include "troupe/graph/signature.hpp"

namespace troupe {
bool is_graph_name(std::string_view name) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.'; };
  if (name.empty() || !(is_word(name[0]) || name[0] == '_')) return false;
  return std::ranges::all_of(
      name, [&](char c) { return is_word(c) || c == '_' || c == '-' || c == '/' || c == '\\'; });
}

bool Node::takes_reference(int input) const {
  for (const auto& argument : op->inputs()) {
    int64_t count = 1;
    if (!argument.dtypes_attr.empty())
      count = static_cast<int64_t>(attr<DTypes>(argument.dtypes_attr).size());
    else if (!argument.count_attr.empty()) count = attr<int64_t>(argument.count_attr);
    if (input < count) return argument.is_ref;
    input -= static_cast<int>(count);
  }
  return false;
}

bool Node::gives_reference(int output) const {
  const auto& outputs = op->outputs();  // none of an op with references is a list
  return static_cast<size_t>(output) < outputs.size() &&
         outputs[static_cast<size_t>(output)].is_ref;
}

Result<NodeId> Graph::add(NodeDef def) {
  Where where{.node = def.name, .op = def.op};
  if (!is_graph_name(def.name))
    return invalid_argument(
               "'" + def.name + "' is no name for a node: letters, digits and _ . - / are allowed")
        .at(where);
  if (contains(def.name))
    return invalid_argument("the graph has a node '" + def.name + "' already").at(where);
  auto op = catalog_->find(def.op);
  if (!op) return op.status().at(where);

  Node node{
      .id = size(),
      .name = std::move(def.name),
      .op = *op,
      .device = std::move(def.device),
      .attrs = std::move(def.attrs),
      .inputs = {},
      .control_inputs = {},
      .output_dtypes = {},
      .output_shapes = {}};
  DTypes dtypes;
  for (const auto& input : def.inputs) {
    if (input.starts_with('^')) {
      auto id = find(std::string_view(input).substr(1));
      if (!id) return id.status().at(where);
      node.control_inputs.push_back(*id);
      continue;
    }
    if (!node.control_inputs.empty())
      return invalid_argument("input '" + input + "' comes after a control input").at(where);
    auto output = find_output(input);
    if (!output) return output.status().at(where);
    node.inputs.push_back(*output);
    dtypes.push_back(dtype_of(*output));
  }

  auto output_dtypes = complete_signature(*node.op, dtypes, node.attrs);
  if (!output_dtypes) return output_dtypes.status().at(where);
  node.output_dtypes = *std::move(output_dtypes);

  if (auto status = check_references(node); !status.ok()) return status.at(where);
  if (auto status = check_functions(node.attrs); !status.ok()) return status.at(where);
  if (auto status = infer_shapes(node, std::move(dtypes)); !status.ok()) return status.at(where);

  ids_.emplace(node.name, node.id);
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

/// Fails where an op that takes a reference is given a value.
Status Graph::check_references(const Node& node) const {
  for (int i = 0; i < static_cast<int>(node.inputs.size()); ++i) {
    auto input = node.inputs[static_cast<size_t>(i)];
    if (!node.takes_reference(i) || is_reference(input)) continue;
    return invalid_argument(
        "input " + std::to_string(i) + " expects a reference to a variable, but '" +
        name_of(input) + "' is a value");
  }
  return {};
}

Status Graph::check_functions(const Attrs& attrs) const {
  for (const auto& [name, value] : attrs) {
    if (value.function_nesting() > function_nesting_max)
      return invalid_argument("attribute '" + name + "' nests functions too deep");
    for (const auto& function : functions_in(value))
      if (auto found = library_->find(function.name()); !found) return found.status();
  }
  return {};
}

/// Sets the node's output_shapes. An error of a function's body is at its node "call/node".
Status Graph::infer_shapes(Node& node, DTypes dtypes) const {
  Shapes shapes, inputs_as_shapes;
  std::vector<std::optional<Tensor>> constants;
  for (auto input : node.inputs) {
    shapes.push_back(shape_of(input));
    constants.push_back(constant_value(input));
    inputs_as_shapes.push_back(constant_value_as_shape(input));
  }
  auto infer = [this](const FunctionRef& f, const DTypes& inputs, const Shapes& input_shapes) {
    return infer_call(f, inputs, input_shapes, catalog_, library_);
  };
  ShapeInference inference(
      node.attrs, std::move(shapes), std::move(dtypes), std::move(constants),
      std::move(inputs_as_shapes), node.output_dtypes.size(),
      node.inputs.empty() ? nullptr : &this->node(node.inputs[0].node).attrs, infer);
  auto status = node.op->infer_shape()(inference);
  if (!status.ok() && !status.where().node.empty()) {
    auto where = status.where();
    where.node = node.name + "/" + where.node;
    return Status(status.code(), status.message(), std::move(where));
  }
  node.output_shapes = inference.outputs();
  return status;
}

Status Graph::add_functions(std::vector<FunctionDef> functions) {
  if (functions.empty()) return {};
  auto extended = with_functions(library_, std::move(functions), catalog_);
  if (!extended) return extended.status();
  library_ = *std::move(extended);
  return {};
}

void Graph::shrink_to(int size) {
  for (auto id = static_cast<size_t>(size); id < nodes_.size(); ++id) ids_.erase(nodes_[id].name);
  nodes_.erase(nodes_.begin() + size, nodes_.end());
}

Result<NodeId> Graph::find(std::string_view name) const {
  if (auto found = ids_.find(std::string(name)); found != ids_.end()) return found->second;
  std::vector<std::string> known;
  if (nodes_.size() <= 10000)
    for (const auto& node : nodes_) known.push_back(node.name);
  auto nearest = nearest_name(name, known);
  return not_found(
      "the graph has no node '" + std::string(name) + "'" +
      (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

Result<Output> Graph::find_output(std::string_view name) const {
  Output output;
  auto node_name = name;
  if (auto colon = name.rfind(':'); colon != std::string_view::npos) {
    node_name = name.substr(0, colon);
    auto digits = name.substr(colon + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), output.index);
    if (error != std::errc() || end != digits.data() + digits.size() || output.index < 0)
      return invalid_argument("'" + std::string(name) + "' is not of the form 'node:0'");
  }
  auto id = find(node_name);
  if (!id) return id.status();
  output.node = *id;
  auto count = node(*id).output_dtypes.size();
  if (static_cast<size_t>(output.index) >= count)
    return invalid_argument(
        "there is no output '" + std::string(name) + "': node '" + std::string(node_name) + "' (" +
        node(*id).op->name() + ") has " + std::to_string(count) + " outputs");
  return output;
}

std::string Graph::name_of(Output output) const {
  return node(output.node).name + ":" + std::to_string(output.index);
}

NodeDef Graph::def_of(NodeId id) const {
  const auto& from = node(id);
  NodeDef def{
      .name = from.name,
      .op = from.op->name(),
      .device = from.device,
      .inputs = {},
      .attrs = from.attrs};
  for (auto input : from.inputs) def.inputs.push_back(name_of(input));
  for (auto input : from.control_inputs) def.inputs.push_back("^" + node(input).name);
  return def;
}

}  // namespace troupe
