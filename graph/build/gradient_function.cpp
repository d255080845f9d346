#include "troupe/graph/build/gradient_function.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/build/context_attrs.hpp"
#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

constexpr std::string_view result_prefix = "dx";

/// The body of the forward function, each of whose nodes has its name there as an attribute.
Result<Graph> make_forward_body(FunctionDef def, const Graph& graph) {
  for (auto& node : def.nodes) node.attrs[functional::forward_node_attr] = node.name;
  return make_body(def, {}, graph.shared_catalog(), graph.shared_library());
}

}  // namespace

WantedGradients WantedGradients::of(const Gradient& g, int first) {
  WantedGradients wanted;
  for (int i = first; i < g.input_count(); ++i)
    if (g.wants(i)) wanted.arguments.push_back(i - first);
  for (int i = 0; i < static_cast<int>(g.node().output_dtypes.size()); ++i)
    if (g.has_dy(i)) wanted.results.push_back(i);
  return wanted;
}

std::string WantedGradients::to_string() const {
  std::string text;
  for (auto argument : arguments) text += "/dx" + std::to_string(argument);
  for (auto result : results) text += "/dy" + std::to_string(result);
  return text;
}

Result<GradientFunction> GradientFunction::make(
    const Graph& graph, const FunctionDef& forward, const WantedGradients& wanted) {
  auto body = make_forward_body(forward, graph);
  if (!body) return body.status();
  Builder b(*std::move(body));
  restore_contexts(b);
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
  return GradientFunction(std::move(b), wanted, *std::move(gradients));
}

void GradientFunction::add_zeros(size_t index, DType dtype) {
  auto argument = body_.value({wanted_.arguments[index], 0});
  if (argument.dtype() == DType::resource)
    argument = body_.op("ReadVariableOp", {argument}, {{"dtype", dtype}});
  gradients_[index] = body_.zeros_like(argument);
}

Result<const Function*> GradientFunction::add_to(const Gradient& g, std::string name) const {
  if (!body_.status().ok()) return body_.status();
  std::vector<std::pair<std::string, Output>> results;
  for (size_t i = 0; i < gradients_.size(); ++i)
    if (has(i))
      results.emplace_back(
          std::string(result_prefix) + std::to_string(wanted_.arguments[i]),
          gradients_[i].output());
  const auto& library = g.graph().library();
  // Calls in the body have added their own gradient functions.
  auto functions = body_.graph().library().defs_from(library.size());
  auto def = make_function(name, body_.graph(), results, /*keep_all=*/false);
  note_contexts(body_, def);
  functions.push_back(std::move(def));
  if (auto status = g.add_functions(std::move(functions)); !status.ok()) return status;
  return g.graph().library().find(name);
}

bool can_repeat(const Graph& graph, const FunctionDef& function) {
  static const std::set<std::string> reads = {
      "ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "Assert"};
  return std::ranges::all_of(function.nodes, [&](const NodeDef& node) {
    auto op = graph.catalog().find(node.op);
    auto repeats = !op || !(*op)->is_stateful() || reads.contains(node.op) ||
                   functional::is_functional(node.op);
    for (const auto& called : functions_in(node))
      if (auto found = graph.library().find(called.name()); repeats && found)
        repeats = can_repeat(graph, (*found)->def);
    return repeats;
  });
}

void take_gradients(Gradient& g, const Value& call, const FunctionDef& function, int first) {
  for (size_t i = 0; call.is_valid() && i < function.results.size(); ++i) {
    auto argument = std::stoi(function.results[i].name.substr(result_prefix.size()));
    g.to_input(first + argument, call.output(static_cast<int>(i)));
  }
}

void fail_in_function(Gradient& g, const Status& status) {
  const auto& node = g.node();
  auto where = status.where();
  where.node = where.node.empty() ? node.name : node.name + "/" + where.node;
  if (where.op.empty()) where.op = node.op->name();
  g.fail(Status(status.code(), status.message(), std::move(where)));
}

}  // namespace troupe
