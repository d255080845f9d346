#include "troupe/graph/build/function_gradient.hpp"

#include <algorithm>

#include "troupe/graph/build/context_attrs.hpp"
#include "troupe/graph/build/gradient_function.hpp"
#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// The gradient function, which is made and added to the graph's library where it is not there.
Result<const Function*> find_or_add(
    const Gradient& g, const FunctionDef& forward, const WantedGradients& wanted) {
  auto name = "_gradient/" + forward.name + wanted.to_string();
  const auto& graph = g.graph();
  if (graph.library().contains(name)) return graph.library().find(name);
  auto function = GradientFunction::make(graph, forward, wanted);
  if (!function) return function.status();
  return function->add_to(g, std::move(name));
}

/// The attribute by which a gradient uses the nodes of the forward call. In the gradient of a loop,
/// where these ran in another iteration, the gradient functions run them again.
Result<Attrs> forward_attrs(const Gradient& g, const std::vector<const Function*>& functions) {
  const auto& contexts = g.contexts();
  auto loop = contexts.loop_around(contexts.of(g.node().id));
  if (loop == contexts.loop_around(contexts.current()))
    return Attrs{{functional::forward_call_attr, g.node().name}};
  for (const auto* function : functions)
    if (!can_repeat(g.graph(), function->def))
      return unimplemented(
          "there is no gradient in a loop of functions that draw random numbers or change state");
  return Attrs();
}

/// The functions that a conditional chooses from, in the order of its attributes.
FunctionRefs branches_of(const Node& node) {
  if (node.op->name() == "Case") return node.attr<FunctionRefs>("branches");
  return {node.attr<FunctionRef>("then_branch"), node.attr<FunctionRef>("else_branch")};
}

/// The gradient functions of all branches, which have the same results: zeros where another branch
/// depends on an argument, and this one does not.
Result<std::vector<const Function*>> make_branches(
    const Gradient& g, const FunctionRefs& branches, const WantedGradients& wanted) {
  std::vector<GradientFunction> made;
  std::string names;
  for (const auto& branch : branches) {
    auto forward = g.graph().library().find(branch.name());
    if (!forward) return forward.status();
    auto function = GradientFunction::make(g.graph(), (*forward)->def, wanted);
    if (!function) return function.status();
    made.push_back(*std::move(function));
    names += "/" + branch.name();
  }
  for (size_t i = 0; i < wanted.arguments.size(); ++i) {
    auto known = std::ranges::find_if(made, [i](const auto& branch) { return branch.has(i); });
    if (known == made.end()) continue;
    for (auto& branch : made)
      if (!branch.has(i)) branch.add_zeros(i, known->dtype_of(i));
  }
  std::vector<const Function*> functions;
  for (size_t i = 0; i < made.size(); ++i) {
    auto name = "_gradient/branch" + std::to_string(i) + names + wanted.to_string();
    auto found = g.graph().library().contains(name) ? g.graph().library().find(name)
                                                    : made[i].add_to(g, name);
    if (!found) return found.status();
    functions.push_back(*found);
  }
  return functions;
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
    results.emplace_back("dx" + std::to_string(i), dx.output());
  }
  return make_function(std::move(name), b.graph(), results, /*keep_all=*/false);
}

/// Calls what the call names as its gradient function, with all inputs and the gradients of all
/// results; it gives those of all inputs.
void call_gradient_function(Gradient& g, const FunctionRef& name) {
  auto function = g.graph().library().find(name.name());
  if (!function) return fail_in_function(g, function.status());
  const auto& def = (*function)->def;
  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(g.in(i));
  auto results = static_cast<int>(g.node().output_dtypes.size());
  for (int i = 0; i < results; ++i) inputs.push_back(g.dy(i));
  DTypes dtypes;
  for (const auto& result : def.results) dtypes.push_back(result.dtype);
  if (static_cast<int>(dtypes.size()) != g.input_count())
    return fail_in_function(
        g,
        invalid_argument(
            "the gradient function '" + name.name() + "' gives " + std::to_string(dtypes.size()) +
            " gradients of " + std::to_string(g.input_count()) + " inputs"));
  auto call = g.op(
      (*function)->is_stateful ? functional::stateful_call : functional::call, inputs,
      {{"f", FunctionRef(def.name)}, {"Tout", dtypes}});
  for (int i = 0; call.is_valid() && i < g.input_count(); ++i)
    if (g.wants(i)) g.to_input(i, call.output(i));
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
  restore_contexts(b);
  auto def = make_symbolic_gradient(b, (*forward)->def, name);
  if (!def) return def.status();
  auto functions = b.graph().library().defs_from(graph.library().size());
  functions.push_back(*std::move(def));
  if (auto status = graph.add_functions(std::move(functions)); !status.ok()) return status;
  return graph.library().find(name);
}

void add_call_gradient(Gradient& g) {
  const auto& node = g.node();
  if (auto own = node.attrs.find(functional::gradient_function_attr); own != node.attrs.end())
    if (auto* name = own->second.get<FunctionRef>()) return call_gradient_function(g, *name);
  auto forward = g.graph().library().find(node.attr<FunctionRef>("f").name());
  if (!forward) return fail_in_function(g, forward.status());
  auto wanted = WantedGradients::of(g);
  if (wanted.is_empty()) return;
  auto function = find_or_add(g, (*forward)->def, wanted);
  if (!function) return fail_in_function(g, function.status());
  const auto& def = (*function)->def;
  if (def.results.empty()) return;

  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(g.in(i));
  for (auto result : wanted.results) inputs.push_back(g.dy(result));
  DTypes dtypes;
  for (const auto& result : def.results) dtypes.push_back(result.dtype);
  auto attrs = forward_attrs(g, {*function});
  if (!attrs) return fail_in_function(g, attrs.status());
  attrs->insert({{"f", FunctionRef(def.name)}, {"Tout", dtypes}});
  auto call =
      g.op((*function)->is_stateful ? functional::stateful_call : functional::call, inputs, *attrs);
  take_gradients(g, call, def);
}

void add_conditional_gradient(Gradient& g) {
  const auto& node = g.node();
  auto wanted = WantedGradients::of(g, 1);
  if (wanted.is_empty()) return;
  auto functions = make_branches(g, branches_of(node), wanted);
  if (!functions) return fail_in_function(g, functions.status());
  const auto& first = (*functions)[0]->def;
  if (first.results.empty()) return;

  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(g.in(i));
  for (auto result : wanted.results) inputs.push_back(g.dy(result));
  DTypes dtypes;
  for (const auto& result : first.results) dtypes.push_back(result.dtype);
  FunctionRefs branches;
  auto is_stateful = false;
  for (const auto* function : *functions) {
    branches.emplace_back(function->def.name);
    is_stateful |= function->is_stateful;
  }
  auto attrs = forward_attrs(g, *functions);
  if (!attrs) return fail_in_function(g, attrs.status());
  attrs->emplace("Tout", dtypes);
  auto is_case = node.op->name() == "Case";
  if (is_case) attrs->emplace("branches", branches);
  else attrs->insert({{"then_branch", branches[0]}, {"else_branch", branches[1]}});
  auto call = g.op(is_case ? "Case" : is_stateful ? "If" : "StatelessIf", inputs, *attrs);
  take_gradients(g, call, first, 1);
}

}  // namespace troupe
