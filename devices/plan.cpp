#include "troupe/devices/plan.hpp"

#include <algorithm>

#include "troupe/graph/ops/handle.hpp"

namespace troupe {
std::vector<ResourceUse> resources_of(const Graph& graph) {
  std::vector<ResourceUse> uses;
  for (const auto& node : graph.nodes()) {
    auto name = handled_by(node);
    if (!name) continue;
    uses.push_back(
        {.node = node.id,
         .name = *std::move(name),
         .is_pinned = !node.attrs.contains(unpinned_attr),
         .dtype = node.attr<DType>("dtype"),
         .shape = node.attr<Shape>("shape")});
  }
  return uses;
}

/// Lays out the arrays of a plan. A node whose value never changes becomes no step: the slots that
/// wait for it are filled when a step starts.
class Plan::Compiler {
 public:
  Compiler(const Graph& graph, Plan& plan, const Bindings& bindings)
      : graph_(graph), plan_(plan), bindings_(bindings), step_of_(graph.size(), -1) {}

  Status run() {
    for (const auto& node : graph_.nodes())
      if (auto status = add_step(node); !status.ok()) return status;
    consumers_.resize(plan_.steps_.size());
    for (const auto& node : graph_.nodes()) connect(node);
    for (auto& edges : consumers_) lay_out(edges);
    for (size_t i = 0; i < plan_.steps_.size(); ++i)
      if (plan_.steps_[i].waits_for == 0) plan_.sources_.push_back(static_cast<int32_t>(i));
    return {};
  }

 private:
  std::optional<Tensor> constant(const Node& node) const {
    if (auto name = handled_by(node))
      return Tensor::scalar(ResourceHandle{name->container, name->name, bindings_.at(node.id)});
    if (node.op->name() == "Const" && node.control_inputs.empty())
      return node.attr<Tensor>("value");
    return std::nullopt;
  }

  Status add_step(const Node& node) {
    if (auto value = constant(node)) {
      constant_of_[node.id] = *value;
      return {};
    }
    Step step{
        .kernel = {},
        .first_slot = plan_.slot_count_,
        .input_count = static_cast<int32_t>(node.inputs.size()),
        .output_count = static_cast<int32_t>(node.output_dtypes.size()),
        .waits_for = 0,
        .first_edge = 0,
        .edge_count = 0,
        .node = node.id};
    auto kernel = plan_.device_->kernels().make(node);
    if (!kernel) return kernel.status().at(plan_.where(step));
    CHECK(bool(kernel->compute) != bool(kernel->start));
    step.kernel = *std::move(kernel);
    plan_.slot_count_ += step.input_count;
    step_of_[node.id] = static_cast<int32_t>(plan_.steps_.size());
    plan_.steps_.push_back(std::move(step));
    return {};
  }

  void connect(const Node& node) {
    auto self = step_of_[node.id];
    if (self < 0) return;
    auto& step = plan_.steps_[self];
    for (int32_t i = 0; i < step.input_count; ++i) {
      auto input = node.inputs[i];
      auto slot = step.first_slot + i;
      if (auto found = constant_of_.find(input.node); found != constant_of_.end())
        plan_.constants_.emplace_back(slot, found->second);
      else add_edge(input.node, {self, slot, input.index, true});
    }
    for (auto input : node.control_inputs)
      if (!constant_of_.contains(input)) add_edge(input, {self, -1, -1, false});
  }

  void add_edge(NodeId from, Edge edge) {
    ++plan_.steps_[edge.node].waits_for;
    consumers_[step_of_[from]].push_back(edge);
  }

  void lay_out(std::vector<Edge>& edges) {
    auto& step = plan_.steps_[&edges - consumers_.data()];
    step.first_edge = static_cast<int32_t>(plan_.edges_.size());
    step.edge_count = static_cast<int32_t>(edges.size());
    std::ranges::stable_sort(edges, {}, &Edge::output);
    for (size_t i = 0; i + 1 < edges.size(); ++i)
      edges[i].last = edges[i].output != edges[i + 1].output;
    plan_.edges_.insert(plan_.edges_.end(), edges.begin(), edges.end());
  }

  const Graph& graph_;
  Plan& plan_;
  const Bindings& bindings_;
  std::vector<int32_t> step_of_;
  std::map<NodeId, Tensor> constant_of_;
  std::vector<std::vector<Edge>> consumers_;
};

Result<std::shared_ptr<const Plan>> Plan::compile(
    std::shared_ptr<const Graph> graph, Device& device, const Bindings& bindings) {
  auto plan = std::make_shared<Plan>();
  plan->graph_ = std::move(graph);
  plan->device_ = &device;
  auto status = Compiler(*plan->graph_, *plan, bindings).run();
  if (!status.ok()) return status;
  return std::shared_ptr<const Plan>(std::move(plan));
}

Where Plan::where(const Step& step) const {
  const auto& node = graph_->node(step.node);
  return {.node = node.name, .op = node.op->name(), .device = node.device, .task = {}};
}

}  // namespace troupe
