#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/context_attrs.hpp"
#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

Values add_arguments(const Builder& b, const std::vector<FunctionArgument>& arguments) {
  Values values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& [name, dtype, shape] = arguments[i];
    values.push_back(b.named(name.empty() ? "arg" + std::to_string(i) : name)
                         .op(transfer::arg, {},
                             {{"T", dtype}, {"index", static_cast<int64_t>(i)}, {"shape", shape}}));
  }
  return values;
}

/// The function that `body` describes, in a library that has the functions it calls.
Result<FunctionDef> trace(
    const Builder& inner, const std::string& name, const std::vector<FunctionArgument>& arguments,
    const Builder::FunctionBody& body) {
  auto values = body(inner, add_arguments(inner, arguments));
  if (!inner.status().ok()) return inner.status();
  if (!inner.variables().empty())
    return invalid_argument(
               "a function makes no variables: give it the handle or the value of one outside "
               "of it as an argument")
        .at({.node = inner.variables()[0].name});
  std::vector<std::pair<std::string, Output>> results;
  for (const auto& value : values) {
    auto result = "result" + std::to_string(results.size());
    if (!value.is_valid() || &value.builder().graph() != &inner.graph() ||
        value.dtype() == DType::invalid)
      return invalid_argument(result + " is no output of a node in the function");
    results.emplace_back(std::move(result), value.output());
  }
  auto def = make_function(name, inner.graph(), results, /*keep_all=*/true);
  note_contexts(inner, def);
  return def;
}

}  // namespace

FunctionRef Builder::function(
    const std::string& name, const std::vector<FunctionArgument>& arguments,
    const FunctionBody& body) const {
  FunctionRef ref(name);
  auto refuse = [&](const Status& status) {
    fail(Status(status.code(), "in function '" + name + "': " + status.message(), status.where()));
    return ref;
  };
  if (name.starts_with('_'))
    return refuse(invalid_argument("names that begin with '_' are reserved"));
  Builder inner(Graph(graph().shared_catalog(), graph().shared_library()));
  auto def = trace(inner, name, arguments, body);
  if (!def) return refuse(def.status());
  auto functions = inner.graph().library().defs_from(graph().library().size());
  functions.push_back(*std::move(def));
  if (auto status = add_functions(std::move(functions)); !status.ok()) fail(status);
  return ref;
}

Values Builder::call(const FunctionRef& function, const Values& inputs) const {
  auto found = graph().library().find(function.name());
  if (!found) {
    fail(found.status());
    return Values(1);
  }
  DTypes dtypes;
  for (const auto& result : (*found)->def.results) dtypes.push_back(result.dtype);
  auto is_stateful = (*found)->is_stateful;
  auto node =
      op(is_stateful ? functional::stateful_call : functional::call, inputs,
         {{"f", function}, {"Tout", dtypes}});
  Values outputs = {node};
  for (size_t i = 1; i < dtypes.size(); ++i) outputs.push_back(node.output(static_cast<int>(i)));
  return outputs;
}

}  // namespace troupe
