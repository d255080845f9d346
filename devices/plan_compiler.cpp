#include <algorithm>
#include <numeric>
#include <optional>

#include "troupe/devices/memory/copy_kernels.hpp"
#include "troupe/devices/memory/host_values.hpp"
#include "troupe/devices/pending_counts.hpp"
#include "troupe/devices/pieces/join_pieces.hpp"
#include "troupe/devices/plan.hpp"
#include "troupe/devices/resources/session_kernels.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/find_frames.hpp"

namespace troupe {
namespace {

/// Where a tensor has to lie, or lies.
enum class Place : uint8_t { host, device, any };

}  // namespace

/// Lays out the arrays of a plan. Until then the slot of an edge counts from its consumer's first.
/// A node whose value never changes becomes no item: the slots that wait for it are filled when a
/// step starts.
class Plan::Compiler {
 public:
  Compiler(const Graph& graph, Plan& plan, const Bindings& bindings, SessionKernels* session)
      : graph_(graph),
        plan_(plan),
        bindings_(bindings),
        session_(session),
        has_own_memory_(plan.device_->stream() != nullptr),
        item_of_(graph.size(), -1) {}

  Status run() {
    auto frames = find_frames(graph_);
    if (!frames) return frames.status();
    frames_ = *std::move(frames);
    for (const auto& node : graph_.nodes())
      if (auto status = add_node(node); !status.ok()) return status;
    if (has_own_memory_)
      if (auto status = compute_on_host(); !status.ok()) return status;
    for (const auto& node : graph_.nodes())
      if (auto status = connect(node); !status.ok()) return status;
    if (frames_.has_loops()) sort_by_frame();
    join_pieces();
    lay_out_frames();
    for (size_t i = 0; i < plan_.items_.size(); ++i) lay_out_edges(i);
    for (size_t i = 0; i < plan_.items_.size(); ++i)
      if (plan_.items_[i].waits_for == 0) plan_.sources_.push_back(static_cast<int32_t>(i));
    // Where a step also changes a variable that it reads, and no edge says in which order, the read
    // gets the value from before, as in TensorFlow in practice.
    std::ranges::stable_partition(plan_.sources_, [&](int32_t item) {
      return graph_.node(plan_.items_[static_cast<size_t>(item)].node).op->name() ==
             "ReadVariableOp";
    });
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
    if (node.op->makes_resource_handle()) return handle(node);
    if (node.op->name() == "Const" && node.control_inputs.empty())
      return node.attr<Tensor>("value");
    return std::nullopt;
  }

  /// Of the resource that the node names.
  Tensor handle(const Node& node) const {
    auto name = *resource_of(node);
    return Tensor::scalar(ResourceHandle{name.container, name.name, bindings_.at(node.id)});
  }

  Result<Kernel> make_kernel(const Node& node) {
    if (session_ && SessionKernels::keeps(node))
      return session_->find_or_make(node, graph_, *plan_.device_);
    return plan_.device_->kernels().make_in(node, graph_, *plan_.device_);
  }

  Status add_node(const Node& node) {
    if (auto value = constant(node)) {
      constant_of_[node.id] = *value;
      return {};
    }
    auto kernel = make_kernel(node);
    if (!kernel)
      return kernel.status().at(
          {.node = node.name, .op = node.op->name(), .device = node.device, .task = {}});
    CHECK(bool(kernel->compute) != bool(kernel->start));
    auto frame = std::max(frames_.of_nodes[node.id], 0);
    if (frame != 0 && node.op->name() == transfer::retval)
      return invalid_argument(
          "'" + graph_.name_of(node.inputs[0]) + "' cannot be fetched: it is in the loop '" +
          frames_.frames[static_cast<size_t>(frame)].name +
          "', where it has a value in each iteration; fetch what leaves the loop by Exit");
    auto output_frame = std::max(frames_.of_outputs[node.id], 0);
    auto is_named = node.op->works_on_named_resource();
    item_of_[node.id] = add_item(
        *std::move(kernel), node.inputs.size() + is_named, node.output_dtypes.size(), node.id,
        frame, output_frame);
    if (is_named)
      constants_.push_back(
          {item_of_[node.id], static_cast<int32_t>(node.inputs.size()), handle(node)});
    return {};
  }

  int32_t add_item(
      Kernel kernel, size_t input_count, size_t output_count, NodeId node, int32_t frame,
      int32_t output_frame) {
    plan_.computes_.push_back(std::exchange(kernel.compute, nullptr));
    const auto& kept = plan_.kernels_.emplace_back(std::move(kernel));
    plan_.items_.push_back(
        {.kernel = &kept,
         .first_slot = 0,
         .input_count = static_cast<int32_t>(input_count),
         .output_count = static_cast<int32_t>(output_count),
         .waits_for = 0,
         .first_edge = 0,
         .edge_count = 0,
         .node = node,
         .frame = frame,
         .output_frame = output_frame,
         .loop_role = kept.loop_role,
         .merges = kept.merges,
         .waits = kept.start != nullptr,
         .has_cost = kept.cost_ns != nullptr});
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
      if (constant_of_.contains(input.node) && plan_.items_[self].merges) {
        if (plan_.items_[self].frame != 0)
          return invalid_argument("a Merge in a loop cannot take a constant that is outside of it")
              .at(plan_.where(plan_.items_[self]));
        add_edge(constant_item(input.node, wanted), {.node = self, .slot = i, .output = 0});
        continue;
      }
      if (constant_of_.contains(input.node)) {
        auto value = constant_at(input, wanted);
        if (!value) return value.status().at(plan_.where(plan_.items_[self]));
        constants_.push_back({self, i, *std::move(value)});
        continue;
      }
      auto source = source_at(input, wanted);
      add_edge(source.item, {.node = self, .slot = i, .output = source.output});
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

  /// Whether an output is small, and on the host wherever nodes of integers are computed.
  bool is_small_on_host(Output output) const {
    constexpr int64_t most_elements = 1024;
    const auto& shape = graph_.shape_of(output);
    const auto& node = graph_.node(output.node);
    auto is_input = node.op->name() == transfer::arg || node.op->name() == "Const";
    if (is_input && !(shape.is_known() && shape.elements() <= most_elements)) return false;
    return node.op->name() == "Const" || constant_of_.contains(output.node) ||
           place_of(output) == Place::host;
  }

  /// Puts counters, conditions and sizes on the host (memory/host_values.hpp).
  Status compute_on_host() {
    auto reads_on_host = [this](NodeId id, int input) {
      auto item = item_of_[id];
      return item >= 0 &&
             wanted_place(plan_.kernels_[item], graph_.node(id).inputs[input], input) ==
                 Place::host;
    };
    auto is_on_host = [this](Output output) { return is_small_on_host(output); };
    for (auto id : find_host_values(graph_, reads_on_host, is_on_host)) {
      if (item_of_[id] < 0) continue;
      auto status = put_on_host(item_of_[id], graph_.node(id));
      if (!status.ok()) return status.at(plan_.where(plan_.items_[item_of_[id]]));
    }
    return {};
  }

  Status put_on_host(int32_t item, const Node& node) {
    auto& kernel = plan_.kernels_[item];
    if (!passes_host_values_on(node)) {
      auto made = plan_.device_->make_host_kernel(node);
      if (!made) return made.status();
      kernel = *std::move(made);
      plan_.computes_[item] = std::exchange(kernel.compute, nullptr);
      plan_.items_[item].has_cost = kernel.cost_ns != nullptr;
    }
    auto follows_from_shapes = [this](Output input) {
      return constant_of_.contains(input.node) ||
             plan_.kernels_[item_of_[input.node]].repeats == Repeats::without_work;
    };
    auto repeats = kernel.repeats != Repeats::no || !passes_host_values_on(node);
    kernel.repeats = repeats && std::ranges::all_of(node.inputs, follows_from_shapes)
                         ? Repeats::without_work
                         : Repeats::no;
    kernel.host_inputs.resize(node.inputs.size());
    std::iota(kernel.host_inputs.begin(), kernel.host_inputs.end(), 0);
    kernel.host_outputs.resize(node.output_dtypes.size());
    std::iota(kernel.host_outputs.begin(), kernel.host_outputs.end(), 0);
    return {};
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
  int32_t constant_item(NodeId node, Place wanted) {
    auto copies = wanted == Place::device;
    Kernel kernel{.compute = [copies, value = constant_of_.at(node)](Launch& launch) {
      auto placed = copies ? launch.device().copy_in(value) : Result<Tensor>(value);
      if (placed) launch.set(0, *std::move(placed));
      return placed.status();
    }};
    return add_item(std::move(kernel), 0, 1, node, 0, 0);
  }

  /// Where that output is found in the wanted memory: at its node, or at a copy, which all its
  /// users share.
  Source source_at(Output output, Place wanted) {
    Source source{item_of_[output.node], output.index};
    if (wanted == Place::any || wanted == place_of(output)) return source;
    auto [copy, is_new] = copies_.try_emplace(output, -1);
    if (is_new) {
      auto kernel = wanted == Place::device ? make_copy_in() : make_copy_to_host();
      auto frame = plan_.items_[source.item].output_frame;
      copy->second = add_item(std::move(kernel), 1, 1, output.node, frame, frame);
      add_edge(source.item, {.node = copy->second, .slot = 0, .output = output.index});
    }
    return {copy->second, 0};
  }

  // -- edges

  void add_edge(int32_t from, Edge edge) {
    ++plan_.items_[edge.node].waits_for;
    consumers_[from].push_back(edge);
  }

  // -- layout

  void join_pieces() {
    auto launches_min = plan_.device_->piece_launches_min();
    if (launches_min == 0) return;
    PlanDraft draft{plan_.items_, plan_.computes_, consumers_, constants_, plan_.kernels_};
    plan_.pieces_ = troupe::join_pieces(plan_.graph_, *plan_.device_, draft, launches_min);
  }

  /// Puts the items of each frame side by side.
  void sort_by_frame() {
    auto& items = plan_.items_;
    std::vector<int32_t> order(items.size()), place(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int32_t item) { return items[item].frame; });
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int32_t>(i);
    permute(items, order);
    permute(plan_.computes_, order);
    permute(consumers_, order);
    for (auto& edges : consumers_)
      for (auto& edge : edges) edge.node = place[edge.node];
    for (auto& constant : constants_) constant.item = place[constant.item];
  }

  template <class T>
  static void permute(std::vector<T>& values, const std::vector<int32_t>& order) {
    std::vector<T> sorted;
    for (auto index : order) sorted.push_back(std::move(values[index]));
    values = std::move(sorted);
  }

  void lay_out_frames() {
    for (const auto& frame : frames_.frames)
      plan_.frames_.push_back(
          {.name = frame.name,
           .parent = frame.parent,
           .parallel_iterations = std::max<int64_t>(frame.parallel_iterations, 1),
           .enter_count = 0,
           .first_item = 0,
           .item_count = 0,
           .first_slot = 0,
           .slot_count = 0,
           .constants = {}});
    int32_t slots = 0;
    for (size_t i = 0; i < plan_.items_.size(); ++i) {
      auto& item = plan_.items_[i];
      auto& frame = plan_.frames_[item.frame];
      if (frame.item_count++ == 0) {
        frame.first_item = static_cast<int32_t>(i);
        frame.first_slot = slots;
      }
      item.first_slot = slots;
      slots += item.input_count;
      frame.slot_count += item.input_count;
      auto enters = item.loop_role == LoopRole::enter || item.loop_role == LoopRole::constant_enter;
      if (enters) ++plan_.frames_[item.output_frame].enter_count;
    }
    for (auto& [item, input, value] : constants_)
      plan_.frames_[plan_.items_[item].frame].constants.emplace_back(
          plan_.items_[item].first_slot + input, std::move(value));
  }

  void lay_out_edges(size_t index) {
    auto& item = plan_.items_[index];
    auto& edges = consumers_[index];
    item.first_edge = static_cast<int32_t>(plan_.edges_.size());
    item.edge_count = static_cast<int32_t>(edges.size());
    std::ranges::stable_sort(edges, {}, &Edge::output);
    for (size_t i = 0; i < edges.size(); ++i) {
      auto& edge = edges[i];
      const auto& consumer = plan_.items_[edge.node];
      if (edge.slot >= 0) edge.slot += consumer.first_slot;
      edge.last = i + 1 == edges.size() || edge.output != edges[i + 1].output;
      edge.merges = consumer.merges;
      edge.is_only = consumer.waits_for == 1;
      edge.enters = item.frame != item.output_frame && item.loop_role != LoopRole::exit;
    }
    plan_.edges_.insert(plan_.edges_.end(), edges.begin(), edges.end());
  }

  const Graph& graph_;
  Plan& plan_;
  const Bindings& bindings_;
  SessionKernels* session_;
  const bool has_own_memory_;
  std::vector<int32_t> item_of_;  // by node; -1 for a constant
  LoopFrames frames_;
  std::vector<ConstantInput> constants_;
  std::map<NodeId, Tensor> constant_of_;
  std::map<NodeId, Tensor> device_constant_of_;
  std::map<Output, int32_t> copies_;          // the items that copy those outputs
  std::vector<std::vector<Edge>> consumers_;  // by item
};

Result<std::shared_ptr<const Plan>> Plan::compile(
    std::shared_ptr<const Graph> graph, Device& device, const Bindings& bindings,
    SessionKernels* session) {
  auto plan = std::make_shared<Plan>();
  plan->graph_ = std::move(graph);
  plan->device_ = &device;
  auto status = Compiler(*plan->graph_, *plan, bindings, session).run();
  if (!status.ok()) return status;
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace troupe
