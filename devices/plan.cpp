#include "troupe/devices/plan.hpp"

#include <algorithm>
#include <set>

#include "troupe/devices/pending_counts.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {

namespace {

bool gives_handle(const Node& node) {
  for (size_t i = 0; i < node.output_dtypes.size(); ++i)
    if (node.output_dtypes[i] == DType::resource || node.gives_reference(static_cast<int>(i)))
      return true;
  return false;
}

/// The handles whose resources the graph brings into being: those of kinds that their handle makes,
/// and those that an op of the kind's creating_ops uses, directly or passed on by other ops.
std::set<NodeId> created_handles(const Graph& graph, const ResourceKindCatalog& kinds) {
  std::set<NodeId> created;
  std::map<NodeId, std::set<NodeId>> sources;  // of the handles that a node gives
  for (const auto& node : graph.nodes()) {
    std::set<NodeId> handles;
    for (auto input : node.inputs)
      if (auto found = sources.find(input.node); found != sources.end())
        handles.insert(found->second.begin(), found->second.end());
    for (auto handle : handles)
      if (auto kind = kinds.find(graph.node(handle).op->name());
          kind && std::ranges::count((*kind)->creating_ops, node.op->name()))
        created.insert(handle);
    if (!gives_handle(node)) continue;
    if (node.op->makes_resource_handle()) handles = {node.id};
    auto kind = kinds.find(node.op->name());
    if (kind && (*kind)->creating_ops.empty()) created.insert(node.id);
    sources[node.id] = std::move(handles);
  }
  return created;
}

}  // namespace

Result<std::vector<ResourceUse>> resources_of(
    const std::shared_ptr<const Graph>& graph, const ResourceKindCatalog& kinds) {
  std::vector<ResourceUse> uses;
  auto created = created_handles(*graph, kinds);
  for (const auto& node : graph->nodes()) {
    auto name = resource_of(node);
    if (!name) continue;
    auto kind = kinds.find(node.op->name());
    if (!kind) return kind.status().at({.node = node.name, .op = node.op->name()});
    uses.push_back(
        {.node = node.id,
         .name = *std::move(name),
         .is_pinned = !node.attrs.contains(unpinned_attr),
         .is_created = created.contains(node.id),
         .kind = *std::move(kind),
         .graph = graph});
  }
  return uses;
}

namespace {

/// Where a tensor has to lie, or lies.
enum class Place : uint8_t { host, device, any };

Kernel make_copy_in() {
  return {.compute = [](Launch& launch) {
    auto copy = launch.device().copy_in(launch.input(0));
    if (copy) launch.set(0, *std::move(copy));
    return copy.status();
  }};
}

Kernel make_copy_to_host() {
  return {
      .start =
          [](Launch& launch, Kernel::Done done) {
            launch.device().copy_to_host(
                launch.take_input(0), [&launch, done = std::move(done)](Result<Tensor> copy) {
                  if (copy) launch.set(0, *std::move(copy));
                  done(copy.status());
                });
          },
      .awaits = "a copy from the device's memory to the host's"};
}

}  // namespace

/// Lays out the arrays of a plan. A node whose value never changes becomes no item: the slots that
/// wait for it are filled when a step starts.
class Plan::Compiler {
 public:
  Compiler(const Graph& graph, Plan& plan, const Bindings& bindings)
      : graph_(graph),
        plan_(plan),
        bindings_(bindings),
        has_own_memory_(plan.device_->stream() != nullptr),
        item_of_(graph.size(), -1) {}

  Status run() {
    for (const auto& node : graph_.nodes())
      if (auto status = add_node(node); !status.ok()) return status;
    for (const auto& node : graph_.nodes())
      if (auto status = connect(node); !status.ok()) return status;
    for (size_t i = 0; i < plan_.items_.size(); ++i) lay_out(i);
    for (size_t i = 0; i < plan_.items_.size(); ++i)
      if (plan_.items_[i].waits_for == 0) plan_.sources_.push_back(static_cast<int32_t>(i));
    for (const auto& item : plan_.items_)
      plan_.initial_counts_.push_back(PendingCounts::initial(item));
    return {};
  }

 private:
  /// An output of an item.
  struct Source {
    int32_t item;
    int32_t output;
  };

  std::optional<Tensor> constant(const Node& node) const {
    if (auto name = resource_of(node))
      return Tensor::scalar(ResourceHandle{name->container, name->name, bindings_.at(node.id)});
    if (node.op->name() == "Const" && node.control_inputs.empty())
      return node.attr<Tensor>("value");
    return std::nullopt;
  }

  Status add_node(const Node& node) {
    if (auto value = constant(node)) {
      constant_of_[node.id] = *value;
      return {};
    }
    auto kernel = plan_.device_->kernels().make(node);
    if (!kernel)
      return kernel.status().at(
          {.node = node.name, .op = node.op->name(), .device = node.device, .task = {}});
    CHECK(bool(kernel->compute) != bool(kernel->start));
    item_of_[node.id] =
        add_item(*std::move(kernel), node.inputs.size(), node.output_dtypes.size(), node.id);
    return {};
  }

  int32_t add_item(Kernel kernel, size_t input_count, size_t output_count, NodeId node) {
    plan_.computes_.push_back(std::exchange(kernel.compute, nullptr));
    const auto& kept = plan_.kernels_.emplace_back(std::move(kernel));
    plan_.items_.push_back(
        {.kernel = &kept,
         .first_slot = plan_.slot_count_,
         .input_count = static_cast<int32_t>(input_count),
         .output_count = static_cast<int32_t>(output_count),
         .waits_for = 0,
         .first_edge = 0,
         .edge_count = 0,
         .node = node,
         .merges = kept.merges,
         .waits = kept.start != nullptr,
         .has_cost = kept.cost_ns != nullptr});
    plan_.slot_count_ += static_cast<int32_t>(input_count);
    consumers_.emplace_back();
    return static_cast<int32_t>(plan_.items_.size() - 1);
  }

  Status connect(const Node& node) {
    auto self = item_of_[node.id];
    if (self < 0) return {};
    for (int32_t i = 0; i < static_cast<int32_t>(node.inputs.size()); ++i) {
      auto input = node.inputs[i];
      if (graph_.is_reference(input) && !node.takes_reference(i))
        return invalid_argument(
                   "input " + std::to_string(i) + " must be a value, but '" +
                   graph_.name_of(input) + "' is a reference to a variable")
            .at(plan_.where(plan_.items_[self]));
      auto wanted = wanted_place(*plan_.items_[self].kernel, input, i);
      auto slot = plan_.items_[self].first_slot + i;
      if (constant_of_.contains(input.node) && plan_.items_[self].merges) {
        add_edge(constant_item(input.node), {.node = self, .slot = slot, .output = 0});
        continue;
      }
      if (constant_of_.contains(input.node)) {
        auto value = constant_at(input, wanted);
        if (!value) return value.status().at(plan_.where(plan_.items_[self]));
        plan_.constants_.emplace_back(slot, *std::move(value));
        continue;
      }
      auto source = source_at(input, wanted);
      add_edge(source.item, {.node = self, .slot = slot, .output = source.output});
    }
    for (auto input : node.control_inputs)
      if (!constant_of_.contains(input))
        add_edge(item_of_[input], {.node = self, .slot = -1, .output = -1});
    return {};
  }

  // -- memory

  /// Elements that are objects of the host stay there.
  bool is_host_only(Output output) const {
    return !is_plain(graph_.dtype_of(output)) || graph_.is_reference(output);
  }

  Place wanted_place(const Kernel& kernel, Output input, int index) const {
    if (!has_own_memory_ || kernel.takes_any_memory) return Place::any;
    if (is_host_only(input) || std::ranges::count(kernel.host_inputs, index)) return Place::host;
    return Place::device;
  }

  Place place_of(Output output) const {
    const auto& kernel = *plan_.items_[item_of_[output.node]].kernel;
    if (is_host_only(output) || std::ranges::count(kernel.host_outputs, output.index))
      return Place::host;
    return Place::device;
  }

  /// The constant in the memory where it is used, copied once for all its users and steps.
  Result<Tensor> constant_at(Output output, Place wanted) {
    const auto& value = constant_of_.at(output.node);
    if (wanted != Place::device) return value;
    auto& copy = device_constant_of_[output.node];
    if (copy.is_set()) return copy;
    auto made = plan_.device_->copy_in(value);
    if (made) copy = *made;
    return made;
  }

  /// A Merge takes what arrives first, so for it a constant has to arrive, too.
  int32_t constant_item(NodeId node) {
    Kernel kernel{.compute = [value = constant_of_.at(node)](Launch& launch) {
      auto placed = launch.device().copy_in(value);
      if (placed) launch.set(0, *std::move(placed));
      return placed.status();
    }};
    return add_item(std::move(kernel), 0, 1, node);
  }

  /// Where that output is found in the wanted memory: at its node, or at a copy, which all its
  /// users share.
  Source source_at(Output output, Place wanted) {
    Source source{item_of_[output.node], output.index};
    if (wanted == Place::any || wanted == place_of(output)) return source;
    auto [copy, is_new] = copies_.try_emplace(output, -1);
    if (is_new) {
      auto kernel = wanted == Place::device ? make_copy_in() : make_copy_to_host();
      copy->second = add_item(std::move(kernel), 1, 1, output.node);
      add_edge(
          source.item, {.node = copy->second,
                        .slot = plan_.items_[copy->second].first_slot,
                        .output = output.index});
    }
    return {copy->second, 0};
  }

  // -- edges

  void add_edge(int32_t from, Edge edge) {
    ++plan_.items_[edge.node].waits_for;
    consumers_[from].push_back(edge);
  }

  void lay_out(size_t index) {
    auto& item = plan_.items_[index];
    auto& edges = consumers_[index];
    item.first_edge = static_cast<int32_t>(plan_.edges_.size());
    item.edge_count = static_cast<int32_t>(edges.size());
    std::ranges::stable_sort(edges, {}, &Edge::output);
    for (size_t i = 0; i < edges.size(); ++i) {
      const auto& consumer = plan_.items_[edges[i].node];
      edges[i].last = i + 1 == edges.size() || edges[i].output != edges[i + 1].output;
      edges[i].merges = consumer.merges;
      edges[i].is_only = consumer.waits_for == 1;
    }
    plan_.edges_.insert(plan_.edges_.end(), edges.begin(), edges.end());
  }

  const Graph& graph_;
  Plan& plan_;
  const Bindings& bindings_;
  const bool has_own_memory_;
  std::vector<int32_t> item_of_;  // by node; -1 for a constant
  std::map<NodeId, Tensor> constant_of_;
  std::map<NodeId, Tensor> device_constant_of_;
  std::map<Output, int32_t> copies_;          // the items that copy those outputs
  std::vector<std::vector<Edge>> consumers_;  // by item
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

Where Plan::where(const NodeItem& item) const {
  const auto& node = graph_->node(item.node);
  return {.node = node.name, .op = node.op->name(), .device = node.device, .task = {}};
}

}  // namespace troupe
