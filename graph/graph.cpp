#include "troupe/graph/graph.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/signature.hpp"

namespace troupe {
namespace {

bool has_back_edge(const Node& node) {
  return std::ranges::any_of(node.inputs, [](Output input) { return input.node < 0; });
}

}  // namespace

uint64_t Graph::new_identity() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

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
  Node node{
      .id = size(),
      .name = std::move(def.name),
      .op = nullptr,
      .device = std::move(def.device),
      .attrs = std::move(def.attrs),
      .inputs = {},
      .control_inputs = {},
      .output_dtypes = {},
      .output_shapes = {}};
  if (auto status = complete(node, def); !status.ok())
    return status.at({.node = node.name, .op = def.op});
  note_back_edges(node, def.inputs);
  close_back_edges(node);
  ids_.emplace(node.name, node.id);
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

/// Checks the node and sets what follows from its definition.
Status Graph::complete(Node& node, const NodeDef& def) const {
  if (!is_graph_name(node.name))
    return invalid_argument(
        "'" + node.name + "' is no name for a node: letters, digits and _ . - / are allowed");
  if (contains(node.name))
    return invalid_argument("the graph has a node '" + node.name + "' already");
  auto op = catalog_->find(def.op);
  if (!op) return op.status();
  node.op = *op;
  if (auto status = find_inputs(node, def); !status.ok()) return status;

  auto dtypes = input_dtypes(node);
  if (!dtypes) return dtypes.status();
  auto output_dtypes = complete_signature(*node.op, *dtypes, node.attrs);
  if (!output_dtypes) return output_dtypes.status();
  node.output_dtypes = *std::move(output_dtypes);

  if (auto status = check_references(node); !status.ok()) return status;
  if (auto status = check_functions(node.attrs); !status.ok()) return status;
  if (auto status = infer_shapes(node, *std::move(dtypes)); !status.ok()) return status;
  return check_back_edges(node);
}

Status Graph::find_inputs(Node& node, const NodeDef& def) const {
  for (const auto& input : def.inputs) {
    if (input.starts_with('^')) {
      auto id = find(std::string_view(input).substr(1));
      if (!id) return id.status();
      node.control_inputs.push_back(*id);
      continue;
    }
    if (!node.control_inputs.empty())
      return invalid_argument("input '" + input + "' comes after a control input");
    auto output = find_input(node, input);
    if (!output) return output.status();
    node.inputs.push_back(*output);
  }
  return {};
}

/// Fails where an op that takes a reference is given a value.
Status Graph::check_references(const Node& node) const {
  for (int i = 0; i < static_cast<int>(node.inputs.size()); ++i) {
    auto input = node.inputs[static_cast<size_t>(i)];
    if (input.node < 0 || !node.takes_reference(i) || is_reference(input)) continue;
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
    if (input.node < 0) {
      shapes.push_back(Shape::unknown_rank());
      constants.emplace_back();
      inputs_as_shapes.push_back(Shape::unknown_rank());
      continue;
    }
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
      node.inputs.empty() || node.inputs[0].node < 0 ? nullptr : &source_attrs(node.inputs[0]),
      infer);
  auto status = node.op->infer_shape()(inference);
  if (!status.ok() && !status.where().node.empty()) {
    auto where = status.where();
    where.node = node.name + "/" + where.node;
    return Status(status.code(), status.message(), std::move(where));
  }
  node.output_shapes = inference.outputs();
  if (auto shape = node.attrs.find(loops::shape_attr); shape != node.attrs.end())
    if (auto* given = shape->second.get<Shape>(); given && has_back_edge(node))
      node.output_shapes[0] = *given;
  return status;
}

const Attrs& Graph::source_attrs(Output output) const {
  const auto* source = &node(output.node);
  while (loops::passes_on(source->op->name())) source = &node(source->inputs[0].node);
  return source->attrs;
}

/// As find_output(), but the node need not be there yet if it may be a back edge.
Result<Output> Graph::find_input(const Node& node, const std::string& input) const {
  if (loops::is_merge(node.op->name()) && !contains(input.substr(0, input.rfind(':'))))
    return Output{-1, 0};
  return find_output(input);
}

/// Those of a Merge are all the same, so that of a back edge is known from another input.
Result<DTypes> Graph::input_dtypes(const Node& node) const {
  DTypes dtypes;
  auto known = std::ranges::find_if(node.inputs, [](Output input) { return input.node >= 0; });
  if (known == node.inputs.end() && !node.inputs.empty())
    return invalid_argument("no input of the node comes before it");
  for (auto input : node.inputs) dtypes.push_back(dtype_of(input.node < 0 ? *known : input));
  return dtypes;
}

/// Whether that node can be the NextIteration that the Merge names.
Status Graph::check_back_edge(const Node& node, BackEdge edge) const {
  const auto& merge = this->node(edge.merge);
  auto subject = "the node '" + node.name + "', which the Merge '" + merge.name + "' named, must ";
  if (!loops::is_next_iteration(node.op->name()))
    return invalid_argument(subject + "be a NextIteration, not " + node.op->name());
  if (node.output_dtypes[0] != merge.output_dtypes[0])
    return invalid_argument(
        subject + "give " + to_string(merge.output_dtypes[0]) + ", not " +
        to_string(node.output_dtypes[0]));
  if (merge.takes_reference(edge.input) && !node.gives_reference(0))
    return invalid_argument(subject + "give a reference");
  const auto& wanted = merge.output_shapes[0];
  auto both = wanted.merge(node.output_shapes[0]);
  if (both && *both == node.output_shapes[0]) return {};
  return invalid_argument(
      "the shape of a loop's variable is not the same in all iterations: '" + merge.name +
      "' has " + wanted.to_string() + ", but after one iteration it is " +
      node.output_shapes[0].to_string() + "; give the loop the shape that holds for all");
}

Status Graph::check_back_edges(const Node& node) const {
  auto found = open_back_edges_.find(node.name);
  if (found == open_back_edges_.end()) return {};
  for (auto edge : found->second)
    if (auto status = check_back_edge(node, edge); !status.ok()) return status;
  return {};
}

void Graph::note_back_edges(const Node& node, const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i].node < 0)
      open_back_edges_[inputs[i].substr(0, inputs[i].rfind(':'))].push_back(
          {node.id, static_cast<int>(i)});
}

void Graph::close_back_edges(const Node& node) {
  auto edges = open_back_edges_.extract(node.name);
  if (!edges) return;
  for (auto edge : edges.mapped())
    nodes_[static_cast<size_t>(edge.merge)].inputs[static_cast<size_t>(edge.input)] = {node.id, 0};
}

Status Graph::check_loops() const {
  if (open_back_edges_.empty()) return {};
  const auto& [name, edges] = *open_back_edges_.begin();
  const auto& merge = node(edges[0].merge);
  return invalid_argument("the graph has no node '" + name + "', which an input names")
      .at({.node = merge.name, .op = merge.op->name()});
}

Status Graph::add_functions(std::vector<FunctionDef> functions) {
  if (functions.empty()) return {};
  auto extended = with_functions(library_, std::move(functions), catalog_);
  if (!extended) return extended.status();
  library_ = *std::move(extended);
  return {};
}

void Graph::reserve(size_t more) {
  auto count = nodes_.size() + more;
  if (count <= nodes_.capacity()) return;
  nodes_.reserve(std::max(count, 2 * nodes_.capacity()));
  ids_.reserve(nodes_.capacity());
}

void Graph::shrink_to(int size) {
  for (auto id = static_cast<size_t>(size); id < nodes_.size(); ++id) ids_.erase(nodes_[id].name);
  for (auto& [name, edges] : open_back_edges_)
    std::erase_if(edges, [&](BackEdge edge) { return edge.merge >= size; });
  std::erase_if(open_back_edges_, [](const auto& item) { return item.second.empty(); });
  nodes_.erase(nodes_.begin() + size, nodes_.end());
}

Result<NodeId> Graph::find(std::string_view name) const {
  if (auto found = ids_.find(name); found != ids_.end()) return found->second;
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
  for (auto input : from.inputs) def.inputs.push_back(input.node < 0 ? "" : name_of(input));
  for (const auto& [name, edges] : open_back_edges_)
    for (auto edge : edges)
      if (edge.merge == id) def.inputs[static_cast<size_t>(edge.input)] = name + ":0";
  for (auto input : from.control_inputs) def.inputs.push_back("^" + node(input).name);
  return def;
}

}  // namespace troupe
