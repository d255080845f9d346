#include "troupe/graph/function_body.hpp"

#include <algorithm>
#include <map>

#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// Shapes are inferred through bodies up to this size, with what is known of a call's inputs; of
/// larger ones, the shapes that hold for all calls are taken.
constexpr int64_t inferred_nodes_max = 10'000;

Status in_function(const std::string& name, const Status& status) {
  return Status(status.code(), "in function '" + name + "': " + status.message(), status.where());
}

/// An _Arg of a handle has the shape of the variable where a VarHandleOp has it.
NodeDef make_arg(const FunctionArgument& argument, size_t index, const Shape& shape) {
  return {
      .name = argument.name,
      .op = transfer::arg,
      .device = "",
      .inputs = {},
      .attrs = {{"T", argument.dtype}, {"index", static_cast<int64_t>(index)}, {"shape", shape}}};
}

Result<Shapes> result_shapes(const FunctionDef& def, const Graph& body) {
  Shapes shapes;
  for (const auto& result : def.results) {
    auto output = body.find_output(result.output);
    if (!output) return output.status();
    if (body.dtype_of(*output) != result.dtype)
      return invalid_argument(
          "the result '" + result.name + "' must be " + to_string(result.dtype) + ", but '" +
          result.output + "' is " + to_string(body.dtype_of(*output)));
    shapes.push_back(body.shape_of(*output));
  }
  return shapes;
}

/// The call whose gradient that node is.
std::optional<NodeId> forward_call_of(const Graph& body, NodeId id) {
  auto found = body.node(id).attrs.find(functional::forward_call_attr);
  if (found == body.node(id).attrs.end()) return {};
  auto* name = found->second.get<std::string>();
  auto forward = name ? body.find(*name) : Result<NodeId>(not_found(""));
  return forward && *forward < id ? std::optional(*forward) : std::nullopt;
}

/// Adds functions to a library, each after those that it calls.
class LibraryExtension {
 public:
  LibraryExtension(FunctionLibrary library, std::shared_ptr<const OpCatalog> catalog)
      : library_(std::make_shared<FunctionLibrary>(std::move(library))),
        catalog_(std::move(catalog)) {}

  Result<std::shared_ptr<const FunctionLibrary>> run(std::vector<FunctionDef> functions) {
    for (auto& def : functions)
      if (auto status = note(std::move(def)); !status.ok()) return status;
    while (!pending_.empty())
      if (auto status = add(pending_.begin()->first); !status.ok()) return status;
    return std::shared_ptr<const FunctionLibrary>(library_);
  }

 private:
  Status note(FunctionDef def) {
    auto known = library_->find(def.name);
    auto pending = pending_.find(def.name);
    const FunctionDef* other = known                       ? &(*known)->def
                               : pending != pending_.end() ? &pending->second
                                                           : nullptr;
    if (other && *other != def)
      return invalid_argument(
          "the graph has a function '" + def.name + "' already, with another body");
    if (other) return {};
    if (!is_graph_name(def.name))
      return invalid_argument(
          "'" + def.name + "' is no name for a function: letters, digits and _ . - / are allowed");
    auto name = def.name;
    pending_.emplace(std::move(name), std::move(def));
    return {};
  }

  std::string chain_to(const std::string& name) const {
    std::string text;
    for (const auto& caller : chain_) text += caller + " -> ";
    return text + name;
  }

  Status add(const std::string& name) {
    if (std::ranges::count(chain_, name))
      return invalid_argument("function '" + name + "' calls itself: " + chain_to(name));
    if (chain_.size() >= function_depth_max)
      return invalid_argument(
          "functions call each other more than " + std::to_string(function_depth_max) +
          " deep: " + chain_to(name));
    chain_.push_back(name);
    for (const auto& node : pending_.at(name).nodes)
      for (const auto& function : functions_in(node))
        if (pending_.contains(function.name()))
          if (auto status = add(function.name()); !status.ok()) return status;
    chain_.pop_back();
    return add_checked(std::move(pending_.extract(name).mapped()));
  }

  Status add_checked(FunctionDef def) {
    auto body = make_body(def, {}, catalog_, library_);
    if (!body) return body.status();
    auto shapes = result_shapes(def, *body);
    if (!shapes) return in_function(def.name, shapes.status());
    Function function{.def = std::move(def), .result_shapes = *std::move(shapes)};
    function.inlined_nodes = static_cast<int64_t>(function.def.nodes.size());
    for (const auto& node : body->nodes()) {
      function.is_stateful |= node.op->is_stateful() && node.op->name() != transfer::arg;
      for (const auto& [name, value] : node.attrs)
        for (const auto& called : functions_in(value)) {
          const auto& inner = **library_->find(called.name());
          function.is_stateful |= inner.is_stateful;
          function.depth = std::max(function.depth, inner.depth + 1);
          function.inlined_nodes += inner.inlined_nodes;
        }
    }
    if (auto status = check_limits(function); !status.ok()) return status;
    library_->add(std::move(function));
    return {};
  }

  static Status check_limits(const Function& function) {
    if (function.depth > function_depth_max)
      return invalid_argument(
          "function '" + function.def.name + "' calls functions more than " +
          std::to_string(function_depth_max) + " deep");
    if (function.inlined_nodes > inlined_nodes_max)
      return invalid_argument(
          "function '" + function.def.name + "' has more than " +
          std::to_string(inlined_nodes_max) + " nodes, with those of the functions that it calls");
    return {};
  }

  std::shared_ptr<FunctionLibrary> library_;
  std::shared_ptr<const OpCatalog> catalog_;
  std::map<std::string, FunctionDef> pending_;
  std::vector<std::string> chain_;  // those that are being added: each calls the next
};

Status check_call(const FunctionDef& def, const FunctionRef& ref, size_t given) {
  for (const auto& [name, value] : ref.attrs())
    if (!name.starts_with('_'))
      return invalid_argument("function '" + def.name + "' has no attribute '" + name + "'");
  if (given == def.arguments.size()) return {};
  std::string names;
  for (const auto& argument : def.arguments) names += (names.empty() ? "" : ", ") + argument.name;
  return invalid_argument(
      "function '" + def.name + "' takes " + std::to_string(def.arguments.size()) + " arguments (" +
      names + "), but " + std::to_string(given) + " were given");
}

/// What is known of an argument of a call.
Result<Shape> merge_argument(
    const FunctionDef& def, const FunctionArgument& argument, DType dtype, const Shape& shape) {
  auto subject = "argument '" + argument.name + "' of function '" + def.name + "' must ";
  if (dtype != argument.dtype)
    return invalid_argument(
        subject + "be " + to_string(argument.dtype) + ", not " + to_string(dtype));
  if (dtype == DType::resource) return argument.shape;
  auto merged = argument.shape.merge(shape);
  if (merged) return merged;
  return invalid_argument(
      subject + "have the shape " + argument.shape.to_string() + ", not " + shape.to_string());
}

}  // namespace

Result<Graph> make_body(
    const FunctionDef& def, const Shapes& shapes, std::shared_ptr<const OpCatalog> catalog,
    std::shared_ptr<const FunctionLibrary> library) {
  Graph body(std::move(catalog), std::move(library));
  for (size_t i = 0; i < def.arguments.size(); ++i) {
    const auto& argument = def.arguments[i];
    auto id = body.add(make_arg(argument, i, shapes.empty() ? argument.shape : shapes[i]));
    if (!id) return in_function(def.name, id.status());
  }
  for (const auto& node : def.nodes)
    if (auto id = body.add(node); !id) return in_function(def.name, id.status());
  if (auto status = body.check_loops(); !status.ok()) return in_function(def.name, status);
  return body;
}

FunctionDef make_function(
    std::string name, const Graph& body, const std::vector<std::pair<std::string, Output>>& results,
    bool keep_all) {
  FunctionDef def{.name = std::move(name), .arguments = {}, .results = {}, .nodes = {}};
  std::vector<bool> needed(static_cast<size_t>(body.size()), keep_all);
  for (const auto& [result, output] : results) {
    needed[output.node] = true;
    def.results.push_back({result, body.name_of(output), body.dtype_of(output)});
  }
  std::vector<NodeId> unseen;
  for (NodeId id = 0; id < body.size(); ++id)
    if (needed[id]) unseen.push_back(id);
  auto need = [&](NodeId id) {
    if (!needed[id]) unseen.push_back(id);
    needed[id] = true;
  };
  while (!unseen.empty()) {
    auto id = unseen.back();
    unseen.pop_back();
    for (auto input : body.node(id).inputs) need(input.node);
    for (auto input : body.node(id).control_inputs) need(input);
    if (auto forward = forward_call_of(body, id)) need(*forward);
  }
  for (const auto& node : body.nodes()) {
    if (node.op->name() == transfer::arg) {
      auto index = static_cast<size_t>(node.attr<int64_t>("index"));
      def.arguments.resize(std::max(def.arguments.size(), index + 1));
      def.arguments[index] = {node.name, node.attr<DType>("T"), node.attr<Shape>("shape")};
    } else if (needed[node.id]) def.nodes.push_back(body.def_of(node.id));
  }
  return def;
}

Result<std::shared_ptr<const FunctionLibrary>> with_functions(
    const std::shared_ptr<const FunctionLibrary>& library, std::vector<FunctionDef> functions,
    const std::shared_ptr<const OpCatalog>& catalog) {
  return LibraryExtension(*library, catalog).run(std::move(functions));
}

Result<CallOutputs> infer_call(
    const FunctionRef& ref, const DTypes& dtypes, const Shapes& shapes,
    const std::shared_ptr<const OpCatalog>& catalog,
    const std::shared_ptr<const FunctionLibrary>& library) {
  auto found = library->find(ref.name());
  if (!found) return found.status();
  const auto& function = **found;
  const auto& def = function.def;
  if (auto status = check_call(def, ref, dtypes.size()); !status.ok()) return status;
  CallOutputs outputs{.dtypes = {}, .shapes = function.result_shapes};
  for (const auto& result : def.results) outputs.dtypes.push_back(result.dtype);
  Shapes known;
  bool is_more_known = false;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    auto merged = merge_argument(def, def.arguments[i], dtypes[i], shapes[i]);
    if (!merged) return merged.status();
    is_more_known |= *merged != def.arguments[i].shape;
    known.push_back(*merged);
  }
  if (!is_more_known || function.inlined_nodes > inferred_nodes_max) return outputs;
  auto body = make_body(def, known, catalog, library);
  if (!body) return body.status();
  auto inferred = result_shapes(def, *body);
  if (!inferred) return inferred.status();
  outputs.shapes = *std::move(inferred);
  return outputs;
}

}  // namespace troupe
