#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/passes/lowered_nodes.hpp"

namespace troupe {
namespace {

/// A function that may be chosen: where output `side` of a Switch by `predicate` is not dead.
struct Choice {
  std::string name;
  FunctionRef function;
  std::string predicate;
  int side;
};

std::vector<Choice> choices_of_if(const NodeDef& node, LoweredNodes& lowered, const auto& inputs) {
  auto predicate = lowered.truth("predicate", inputs[0]);
  auto branch = [&](const char* attr) { return *node.attrs.at(attr).template get<FunctionRef>(); };
  return {
      {"else", branch("else_branch"), predicate, 0}, {"then", branch("then_branch"), predicate, 1}};
}

/// Each function has a predicate of its own: that of the last one is true for all other indices.
std::vector<Choice> choices_of_case(const NodeDef& node, LoweredNodes& lowered) {
  const auto& branches = *node.attrs.at("branches").get<FunctionRefs>();
  auto last = branches.size() - 1;
  std::vector<Choice> choices;
  auto index = lowered.input(0);
  for (size_t i = 0; i < branches.size(); ++i) {
    auto name = "branch" + std::to_string(i);
    auto number = lowered.constant(name + "/index", Tensor::scalar(static_cast<int32_t>(i)));
    auto is_chosen = [&] {
      if (i < last) return lowered.add(name + "/is_chosen", "Equal", {index, number});
      auto zero = lowered.constant(name + "/zero", Tensor::scalar<int32_t>(0));
      return lowered.add(
          name + "/is_chosen", "LogicalOr",
          {lowered.add(name + "/is_beyond", "GreaterEqual", {index, number}),
           lowered.add(name + "/is_before", "Less", {index, zero})});
    }();
    choices.push_back({name, branches[i], is_chosen, 1});
  }
  return choices;
}

}  // namespace

Result<LoweredNode> lower_conditional(
    const NodeDef& node, const std::vector<FunctionArgument>& inputs, const Graph& graph) {
  LoweredNodes lowered(node, inputs);
  auto is_if = functional::is_if(node.op);
  auto choices = is_if ? choices_of_if(node, lowered, inputs) : choices_of_case(node, lowered);
  auto function = graph.library().find(choices[0].function.name());
  if (!function) return function.status();
  DTypes results;
  for (const auto& result : (*function)->def.results) results.push_back(result.dtype);

  std::vector<std::string> ends;
  std::vector<std::vector<std::string>> outputs(results.size());
  for (const auto& [name, branch, predicate, side] : choices) {
    // The branches of an If share the Switches, of which they have an output each.
    auto prefix = is_if ? std::string("switch") : name + "/switch";
    // Copies, as the fuzz targets' clang 14 captures no structured bindings.
    auto chosen = [&, side = side, predicate = predicate](
                      const std::string& switched, const std::string& input, Attrs attrs) {
      if (!is_if || side == 0) lowered.add(switched, "Switch", {input, predicate}, attrs);
      return switched + ":" + std::to_string(side);
    };
    auto pivot = lowered.add("pivot_" + name, "Identity", {chosen(prefix, predicate, {})});
    std::vector<std::string> arguments;
    for (size_t i = 1; i < inputs.size(); ++i)
      arguments.push_back(chosen(
          prefix + std::to_string(i - 1), lowered.input(i), {{colocate_with_input_attr, true}}));
    arguments.push_back("^pivot_" + name);
    lowered.call(name, branch, results, std::move(arguments));
    for (size_t i = 0; i < results.size(); ++i)
      outputs[i].push_back(name + ":" + std::to_string(i));
    ends.push_back(lowered.add(name + "/done", "Identity", {pivot, "^" + name}));
  }
  for (size_t i = 0; i < results.size(); ++i)
    lowered.result(lowered.add("output" + std::to_string(i), "Merge", outputs[i]), results[i]);
  lowered.add("done", "Merge", ends);
  return lowered.end("done");
}

}  // namespace troupe
