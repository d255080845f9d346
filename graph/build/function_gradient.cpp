#include "troupe/graph/build/function_gradient.hpp"

#include <algorithm>

#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// Results of a gradient function are named "dx0", "dx2": after the arguments whose gradient they
/// are.
constexpr std::string_view result_prefix = "dx";

/// Which gradients of a function are wanted, and from which ones of its results.
struct Wanted {
  std::vector<int> arguments;
  std::vector<int> results;

  std::string function_name(const std::string& forward) const {
    auto name = "_gradient/" + forward;
    for (auto argument : arguments) name += "/dx" + std::to_string(argument);
    for (auto result : results) name += "/dy" + std::to_string(result);
    return name;
  }
};

Wanted wanted_of(const Gradient& g) {
  Wanted wanted;
  for (int i = 0; i < g.input_count(); ++i)
    if (g.wants(i)) wanted.arguments.push_back(i);
  for (int i = 0; i < static_cast<int>(g.node().output_dtypes.size()); ++i)
    if (g.has_dy(i)) wanted.results.push_back(i);
  return wanted;
}

/// The body of the forward function, each of whose nodes has its name there as an attribute.
Result<Graph> make_forward_body(FunctionDef def, const Graph& graph) {
  for (auto& node : def.nodes) node.attrs[functional::forward_node_attr] = node.name;
  return make_body(def, {}, graph.shared_catalog(), graph.shared_library());
}

Result<FunctionDef> make_gradient_function(
    const Builder& b, const FunctionDef& forward, const Wanted& wanted) {
  Values ys, xs;
  GradientOptions options{.grad_ys = {}, .allow_unconnected = true};
  auto index = static_cast<int64_t>(forward.arguments.size());
  for (auto result : wanted.results) {
    ys.push_back(b.value(*b.graph().find_output(forward.results[result].output)));
    options.grad_ys.push_back(
        b.named("dy" + std::to_string(result))
            .op(transfer::arg, {},
                {{"T", ys.back().dtype()}, {"index", index++}, {"shape", ys.back().shape()}}));
  }
  for (auto argument : wanted.arguments) xs.push_back(b.value({argument, 0}));
  auto gradients = troupe::gradients(b, ys, xs, options);
  if (!gradients) return gradients.status();
  std::vector<std::pair<std::string, Output>> results;
  for (size_t i = 0; i < xs.size(); ++i)
    if ((*gradients)[i].is_valid())
      results.emplace_back(
          std::string(result_prefix) + std::to_string(wanted.arguments[i]),
          (*gradients)[i].output());
  return make_function(wanted.function_name(forward.name), b.graph(), results, /*keep_all=*/false);
}

/// The gradient function, which is made and added to the graph's library where it is not there.
Result<const Function*> find_or_add(
    const Gradient& g, const FunctionDef& forward, const Wanted& wanted) {
  auto name = wanted.function_name(forward.name);
  const auto& graph = g.graph();
  if (graph.library().contains(name)) return graph.library().find(name);
  auto body = make_forward_body(forward, graph);
  if (!body) return body.status();
  Builder b(*std::move(body));
  auto def = make_gradient_function(b, forward, wanted);
  if (!def) return def.status();
  // Calls in the body have added their own gradient functions.
  auto functions = b.graph().library().defs_from(graph.library().size());
  functions.push_back(*std::move(def));
  if (auto status = g.add_functions(std::move(functions)); !status.ok()) return status;
  return graph.library().find(name);
}

/// The gradients of all arguments, as a function that runs the nodes of the forward function
/// itself.
Result<FunctionDef> make_symbolic_gradient(
    const Builder& b, const FunctionDef& forward, std::string name) {
  Values ys, xs;
  GradientOptions options{.grad_ys = {}, .allow_unconnected = true};
  auto index = static_cast<int64_t>(forward.arguments.size());
  for (const auto& result : forward.results) {
    auto y = b.value(*b.graph().find_output(result.output));
    auto dy = b.named("dy").op(
        transfer::arg, {}, {{"T", y.dtype()}, {"index", index++}, {"shape", y.shape()}});
    ys.push_back(y);
    options.grad_ys.push_back(dy);
  }
  for (int i = 0; i < static_cast<int>(forward.arguments.size()); ++i)
    xs.push_back(b.value({i, 0}));
  auto gradients = troupe::gradients(b, ys, xs, options);
  if (!gradients) return gradients.status();
  std::vector<std::pair<std::string, Output>> results;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto dx = (*gradients)[i].is_valid() ? (*gradients)[i] : b.zeros_like(xs[i]);
    if (!b.status().ok()) return b.status();
    results.emplace_back(std::string(result_prefix) + std::to_string(i), dx.output());
  }
  return make_function(std::move(name), b.graph(), results, /*keep_all=*/false);
}

}  // namespace

Result<const Function*> add_symbolic_gradient(Graph& graph, const FunctionRef& function) {
  auto name = "_gradient/" + function.name() + "/symbolic";
  if (graph.library().contains(name)) return graph.library().find(name);
  auto forward = graph.library().find(function.name());
  if (!forward) return forward.status();
  auto body = make_body((*forward)->def, {}, graph.shared_catalog(), graph.shared_library());
  if (!body) return body.status();
  Builder b(*std::move(body));
  auto def = make_symbolic_gradient(b, (*forward)->def, name);
  if (!def) return def.status();
  auto functions = b.graph().library().defs_from(graph.library().size());
  functions.push_back(*std::move(def));
  if (auto status = graph.add_functions(std::move(functions)); !status.ok()) return status;
  return graph.library().find(name);
}

void add_call_gradient(Gradient& g) {
  const auto& node = g.node();
  auto at_call = [&node](const Status& status) {
    auto where = status.where();
    where.node = where.node.empty() ? node.name : node.name + "/" + where.node;
    if (where.op.empty()) where.op = node.op->name();
    return Status(status.code(), status.message(), std::move(where));
  };
  auto forward = g.graph().library().find(node.attr<FunctionRef>("f").name());
  if (!forward) return g.fail(at_call(forward.status()));
  auto wanted = wanted_of(g);
  if (wanted.arguments.empty() || wanted.results.empty()) return;
  auto function = find_or_add(g, (*forward)->def, wanted);
  if (!function) return g.fail(at_call(function.status()));
  if ((*function)->def.results.empty()) return;

  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(g.in(i));
  for (auto result : wanted.results) inputs.push_back(g.dy(result));
  DTypes dtypes;
  for (const auto& result : (*function)->def.results) dtypes.push_back(result.dtype);
  auto call = g.op(
      (*function)->is_stateful ? functional::stateful_call : functional::call, inputs,
      {{"f", FunctionRef((*function)->def.name)},
       {"Tout", dtypes},
       {functional::forward_call_attr, node.name}});
  for (size_t i = 0; call.is_valid() && i < dtypes.size(); ++i) {
    const auto& name = (*function)->def.results[i].name;
    g.to_input(std::stoi(name.substr(result_prefix.size())), call.output(static_cast<int>(i)));
  }
}

}  // namespace troupe
