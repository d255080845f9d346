#include "troupe/devices/memory/host_values.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

using ReadsOnHost = std::function<bool(NodeId node, int input)>;
using IsOnHost = std::function<bool(Output output)>;

bool is_push(const Node& node) { return node.op->name().starts_with("StackPush"); }
bool is_pop(const Node& node) { return node.op->name().starts_with("StackPop"); }

/// Their results are about as large as their inputs, or smaller.
constexpr std::string_view computing[] = {
    "Abs",          "Add",      "AddN",      "AddV2",       "All",         "Any",
    "Cast",         "Concat",   "ConcatV2",  "Const",       "Div",         "Equal",
    "ExpandDims",   "FloorDiv", "FloorMod",  "Gather",      "GatherV2",    "Greater",
    "GreaterEqual", "Less",     "LessEqual", "LogicalAnd",  "LogicalNot",  "LogicalOr",
    "Max",          "Maximum",  "Min",       "Minimum",     "Mod",         "Mul",
    "Neg",          "NotEqual", "OnesLike",  "Pack",        "Prod",        "RealDiv",
    "Reshape",      "Select",   "Sign",      "Slice",       "Square",      "Squeeze",
    "StridedSlice", "Sub",      "Sum",       "TruncateDiv", "TruncateMod", "Unpack",
    "ZerosLike"};

bool is_small_number(DType dtype) {
  return dtype == DType::int32 || dtype == DType::int64 || dtype == DType::boolean;
}

/// Finds the greatest set of nodes all of whose inputs are on the host, and leaves out of it what
/// is not needed there.
class Finder {
 public:
  Finder(const Graph& graph, const IsOnHost& is_on_host)
      : graph_(graph), is_on_host_(is_on_host), is_one_(static_cast<size_t>(graph.size())) {
    for (const auto& node : graph.nodes())
      if (is_push(node) || is_pop(node)) add_to_stack(node);
    for (const auto& node : graph.nodes()) is_one_[at(node.id)] = is_candidate(node);
  }

  std::vector<bool> find(const ReadsOnHost& reads_on_host) {
    // Loops go round, so that what leaves the set may concern what was looked at before.
    for (bool changes = true; changes;) {
      changes = false;
      for (const auto& node : graph_.nodes())
        if (is_one_[at(node.id)] && !has_host_inputs(node)) {
          is_one_[at(node.id)] = false;
          changes = true;
        }
    }
    return needed(reads_on_host);
  }

 private:
  static size_t at(NodeId id) { return static_cast<size_t>(id); }

  /// What pushes to one stack, and what pops from it: all of them have its elements in one memory.
  using Users = std::vector<NodeId>;

  /// The node that makes the stack which a push or a pop is given.
  const Node& stack_of(const Node& node) const {
    const auto* source = &graph_.node(node.inputs[0].node);
    while (loops::passes_on(source->op->name())) source = &graph_.node(source->inputs[0].node);
    return *source;
  }

  void add_to_stack(const Node& node) {
    const auto& stack = stack_of(node);
    stacks_[stack.id].push_back(node.id);
    knows_stacks_ &= stack.op->name() == "Stack" || stack.op->name() == "StackV2";
  }

  bool is_candidate(const Node& node) const {
    const auto& op = node.op->name();
    if (!passes_host_values_on(node) && !std::ranges::count(computing, op)) return false;
    if (node.output_dtypes.empty()) return false;
    if ((is_push(node) || is_pop(node)) && !knows_stacks_) return false;
    for (size_t i = 0; i < node.output_dtypes.size(); ++i)
      if (!is_small_number(node.output_dtypes[i]) || node.gives_reference(static_cast<int>(i)))
        return false;
    if (op == "Const") return is_on_host_({node.id, 0});
    return std::ranges::all_of(node.inputs, [&](Output input) {
      return !graph_.is_reference(input) &&
             (is_small_number(graph_.dtype_of(input)) || !is_plain(graph_.dtype_of(input)));
    });
  }

  bool has_host_inputs(const Node& node) const {
    if (is_push(node) || is_pop(node))
      if (!std::ranges::all_of(
              stacks_.at(stack_of(node).id), [&](NodeId user) { return is_one_[at(user)]; }))
        return false;
    return std::ranges::all_of(node.inputs, [&](Output input) {
      return !is_plain(graph_.dtype_of(input)) || is_one_[at(input.node)] || is_on_host_(input);
    });
  }

  /// Of those in the set, the ones that something on the host reads.
  std::vector<bool> needed(const ReadsOnHost& reads_on_host) const {
    std::vector<bool> needed(is_one_.size());
    std::vector<NodeId> next;
    auto need = [&](NodeId id) {
      if (!is_one_[at(id)] || needed[at(id)]) return;
      needed[at(id)] = true;
      next.push_back(id);
    };
    for (const auto& node : graph_.nodes())
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (reads_on_host(node.id, static_cast<int>(i))) need(node.inputs[i].node);
    while (!next.empty()) {
      const auto& node = graph_.node(next.back());
      next.pop_back();
      for (auto input : node.inputs) need(input.node);
      if (is_push(node) || is_pop(node))
        for (auto user : stacks_.at(stack_of(node).id)) need(user);
    }
    return needed;
  }

  const Graph& graph_;
  const IsOnHost& is_on_host_;
  std::map<NodeId, Users> stacks_;  // by the node that makes the stack
  bool knows_stacks_ = true;        // which of them each user has
  std::vector<bool> is_one_;        // by node
};

}  // namespace

std::vector<NodeId> find_host_values(
    const Graph& graph, const ReadsOnHost& reads_on_host, const IsOnHost& is_on_host) {
  auto found = Finder(graph, is_on_host).find(reads_on_host);
  std::vector<NodeId> nodes;
  for (const auto& node : graph.nodes())
    if (found[static_cast<size_t>(node.id)]) nodes.push_back(node.id);
  return nodes;
}

bool passes_host_values_on(const Node& node) {
  const auto& op = node.op->name();
  return op == loops::enter || op == loops::exit || op == loops::next_iteration ||
         op == loops::merge || op == "Switch" || op == "Identity" || is_push(node) || is_pop(node);
}

}  // namespace troupe
