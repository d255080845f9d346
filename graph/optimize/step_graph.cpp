#include "troupe/graph/optimize/step_graph.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/optimize/step_writer.hpp"

namespace troupe {
namespace {

/// The families of ops that are functions of their inputs, unless they are stateful. The others
/// have state, read files, call programs, or are the ops of graphs themselves.
bool is_family_of_functions(std::string_view family) {
  constexpr std::array<std::string_view, 9> folders{"math/",     "reduction/", "array/",
                                                    "indexing/", "linalg/",    "nn/",
                                                    "random/",   "sparse/",    "string/"};
  return std::ranges::any_of(folders, [&](auto folder) { return family.starts_with(folder); });
}

bool has_reference(const Node& node) {
  for (const auto& argument : node.op->inputs())
    if (argument.is_ref) return true;
  for (const auto& argument : node.op->outputs())
    if (argument.is_ref) return true;
  return false;
}

bool begins_or_ends_branch(const std::string& op) {
  return op == "Switch" || op == "RefSwitch" || op == "_SwitchN" || op == loops::loop_cond ||
         loops::is_merge(op) || loops::is_enter(op) || loops::is_exit(op) ||
         loops::is_next_iteration(op);
}

bool is_function_of_inputs(const Node& node) {
  const auto& op = *node.op;
  return !op.is_stateful() && !op.outputs().empty() &&
         (op.name() == "Const" || is_family_of_functions(op.family())) &&
         op.name() != "PlaceholderWithDefault" && !has_reference(node);
}

/// Of a step's nodes, which are of few ops.
class OpFacts {
 public:
  struct Facts {
    bool is_pure;
    bool is_control_flow;
  };
  const Facts& of(const Node& node) {
    auto [found, is_new] = facts_.try_emplace(node.op);
    if (is_new)
      found->second = {is_function_of_inputs(node), begins_or_ends_branch(node.op->name())};
    return found->second;
  }

 private:
  std::unordered_map<const Op*, Facts> facts_;
};

}  // namespace

StepGraph::StepGraph(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices)
    : graph_(graph),
      step_(step),
      positions_(static_cast<size_t>(graph.size()), -1),
      feeds_(step.feeds) {
  std::ranges::sort(feeds_);
  std::map<std::string, int> numbers;
  OpFacts facts;
  const DeviceName* last = nullptr;  // neighbours are mostly on one device
  int number = -1;
  nodes_.reserve(step.nodes.size());
  for (auto id : step.nodes) {
    const auto& device = devices.at(id);
    if (!last || !(*last == device))
      number = numbers.emplace(device.to_string(), static_cast<int>(numbers.size())).first->second;
    last = &device;
    positions_[static_cast<size_t>(id)] = static_cast<int32_t>(nodes_.size());
    const auto& node = graph.node(id);
    nodes_.push_back(
        {.node = &node,
         .device = &device,
         .device_number = number,
         .inputs = node.inputs,
         .control_inputs = node.control_inputs,
         .is_pure = facts.of(node).is_pure,
         .is_control_flow = facts.of(node).is_control_flow});
  }
  for (auto& node : nodes_) {
    auto& controls = node.control_inputs;
    std::erase_if(controls, [&](NodeId id) { return !find(id); });
    std::ranges::sort(controls);
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  }
  for (auto feed : feeds_)
    if (auto* node = find(feed.node)) node->has_fed_output = true;
  find_roots();
}

/// Pruning has kept targets without naming them: they are what nobody uses. A target that others
/// use is run for these, and for what it changes.
void StepGraph::find_roots() {
  std::vector<bool> is_used(nodes_.size());
  auto use = [&](NodeId id) {
    if (auto position = positions_[static_cast<size_t>(id)]; position >= 0)
      is_used[static_cast<size_t>(position)] = true;
  };
  for (const auto& node : nodes_) {
    for (auto input : node.inputs)
      if (!is_fed(input)) use(input.node);
    for (auto input : node.control_inputs) use(input);
  }
  for (size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i].is_root = !is_used[i] || nodes_[i].node->op->is_stateful();
  for (auto fetch : step_.fetches)
    if (auto* node = find(fetch.node); node && !is_fed(fetch))
      node->is_root = node->is_fetched = true;
}

StepNode* StepGraph::find(NodeId id) {
  auto position = positions_[static_cast<size_t>(id)];
  return position < 0 ? nullptr : &nodes_[static_cast<size_t>(position)];
}

bool StepGraph::is_fed(Output output) const {
  return !feeds_.empty() && std::ranges::binary_search(feeds_, output);
}

const StepNode* StepGraph::source_of(Output output) const {
  return is_fed(output) ? nullptr : find(output.node);
}

const Shape& StepGraph::shape_of(Output output) const {
  const auto* value = constant(output);
  return value ? value->shape() : graph_.shape_of(output);
}

const Tensor* StepGraph::constant(Output output) const {
  const auto* source = source_of(output);
  if (!source) return nullptr;
  if (!source->values.empty()) return &source->values[static_cast<size_t>(output.index)];
  if (source->node->op->name() != "Const") return nullptr;
  return source->node->attrs.find("value")->second.get<Tensor>();
}

void StepGraph::set_values(StepNode& node, Tensors values, std::vector<NodeId> control_inputs) {
  node.values = std::move(values);
  node.inputs.clear();
  node.is_everywhere = control_inputs.empty();
  set_control_inputs(node, std::move(control_inputs));
}

void StepGraph::replace(StepNode& node, std::vector<Output> by) {
  node.stands_for = std::move(by);
  mark_changed();
}

void StepGraph::set_control_inputs(StepNode& node, std::vector<NodeId> inputs) {
  node.control_inputs = std::move(inputs);
  mark_changed();
}

/// One step is enough: what replaces an output is before it, and current when it is chosen; but a
/// later pass may replace that.
Output StepGraph::current(Output output) const {
  for (const auto* source = source_of(output); source && source->is_replaced();
       source = source_of(output))
    output = source->stands_for[static_cast<size_t>(output.index)];
  return output;
}

NodeId StepGraph::current_control(NodeId id) const {
  for (const auto* node = find(id); node && node->is_replaced(); node = find(id))
    id = node->stands_for.front().node;
  return id;
}

void StepGraph::refresh(StepNode& node) const {
  for (auto& input : node.inputs) input = current(input);
  auto& controls = node.control_inputs;
  if (controls.empty()) return;
  for (auto& input : controls) input = current_control(input);
  std::erase_if(controls, [&](NodeId id) { return !find(id); });
  std::ranges::sort(controls);
  controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
}

Result<PlacedStep> StepGraph::to_step() {
  for (auto& node : nodes_) refresh(node);
  std::vector<Output> fetches;
  for (auto fetch : step_.fetches) fetches.push_back(is_fed(fetch) ? fetch : current(fetch));
  return StepWriter(graph_, step_, nodes_, positions_).write(fetches);
}

}  // namespace troupe
