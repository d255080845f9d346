#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "troupe/devices/device.hpp"
#include "troupe/devices/pieces/plan_piece.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

class SessionKernels;

/// A resource in a container that a partition uses, by the node that makes its handle or that works
/// on it by name.
struct ResourceUse {
  NodeId node;
  ResourceName name;
  bool is_pinned;   // the graph says that it is placed here; else the directory does
  bool is_created;  // the graph brings it into being, if it does not exist
  ResourceKindCatalog::Kind kind;
  std::shared_ptr<const Graph> graph;

  /// What the graph declares it as.
  const Node& handle() const { return graph->node(node); }
  /// A new resource as the graph declares it.
  Result<std::shared_ptr<Resource>> make() const {
    return kind->make_in ? kind->make_in(*graph, handle()) : kind->make(handle());
  }
};

/// The resources that must be bound before the graph's plan can be compiled. Unimplemented, naming
/// the node, if the device has none of such a kind.
Result<std::vector<ResourceUse>> resources_of(
    const std::shared_ptr<const Graph>& graph, const ResourceKindCatalog& kinds);

/// One partition made ready to run many times on one device: kernels are made, resources bound,
/// copies between host and device memory inserted, and which node waits for which is laid out in
/// flat arrays. Immutable; any number of steps run it at once (`executor.hpp`).
class Plan {
 public:
  using Bindings = std::map<NodeId, std::shared_ptr<Resource>>;

  /// Makes the kernel of each node, or takes it from the session's, where it has any. The error of
  /// the first that cannot be made names the node.
  static Result<std::shared_ptr<const Plan>> compile(
      std::shared_ptr<const Graph> graph, Device& device, const Bindings& bindings,
      SessionKernels* session = nullptr);

  /// Where an output, or the mere end of a node, goes.
  struct Edge {
    int32_t node;    // the consumer's item
    int32_t slot;    // where it finds the tensor; -1 for a control edge
    int32_t output;  // of the producer
    bool last;       // no later edge carries the same output
    bool merges;     // the consumer's
    bool is_only;    // the consumer waits for no other edge
    bool enters;     // the producer brings values into a loop
  };

  /// A loop, whose iterations each have slots and counts of their own (step_frames.hpp); number 0
  /// is what is in no loop. The items of a frame are side by side, and so are their slots.
  struct Frame {
    std::string name;
    int32_t parent;
    int64_t parallel_iterations;
    int32_t enter_count;  // items that bring values in
    int32_t first_item;
    int32_t item_count;
    int32_t first_slot;
    int32_t slot_count;
    /// Slots whose value is the same in every step, in the memory where it is used.
    std::vector<std::pair<int32_t, Tensor>> constants;
  };

  /// A node of the graph, a piece of it (whose first node it names), or a copy of one of its
  /// outputs to other memory. Small, as a step reads each several times.
  struct NodeItem {
    const Kernel* kernel;
    int32_t first_slot;  // its inputs are slots [first_slot, first_slot + input_count)
    int32_t input_count;
    int32_t output_count;
    int32_t waits_for;  // edges that must arrive before it is ready
    int32_t first_edge;
    int32_t edge_count;
    NodeId node;
    int32_t frame;         // in which it runs
    int32_t output_frame;  // another one where it enters or leaves a loop
    // What the kernel has, here because the kernel is in other memory.
    LoopRole loop_role;
    bool merges;
    bool waits;     // its start
    bool has_cost;  // its cost_ns
  };

  const std::vector<NodeItem>& items() const { return items_; }
  /// Each item's Kernel::compute, side by side: a step calls them one after the other, and kernels
  /// are large.
  const std::vector<KernelCatalog::Compute>& computes() const { return computes_; }
  /// What each item waits for when a step starts, as PendingCounts counts it.
  const std::vector<uint64_t>& initial_counts() const { return initial_counts_; }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Frame>& frames() const { return frames_; }
  bool has_loops() const { return frames_.size() > 1; }
  /// Items that wait for nothing.
  const std::vector<int32_t>& sources() const { return sources_; }
  /// The piece that an item stands for; null for one of a single node.
  const PlanPiece* piece_of(int32_t item) const {
    auto found = pieces_.find(item);
    return found == pieces_.end() ? nullptr : found->second.get();
  }
  Device& device() const { return *device_; }
  const Graph& graph() const { return *graph_; }
  const std::shared_ptr<const Graph>& shared_graph() const { return graph_; }
  /// Of an item, for errors.
  Where where(const NodeItem& item) const;
  /// Whether an item may use, directly or not, what another one computes; also by way of other
  /// devices, of which the plan does not know what they do. Thread-safe.
  bool leads_to(int32_t from, int32_t to) const;

 private:
  class Compiler;

  /// Those that leads_to() says of that item.
  std::vector<bool> items_after(int32_t from) const;

  std::shared_ptr<const Graph> graph_;
  Device* device_ = nullptr;
  std::deque<Kernel> kernels_;  // without their compute
  std::vector<KernelCatalog::Compute> computes_;
  std::vector<NodeItem> items_;
  std::vector<uint64_t> initial_counts_;
  std::vector<Edge> edges_;
  std::vector<Frame> frames_;
  std::vector<int32_t> sources_;
  std::map<int32_t, std::shared_ptr<const PlanPiece>> pieces_;  // by item

  mutable std::mutex reached_mutex_;
  mutable std::map<int32_t, std::vector<bool>> reached_;  // by leads_to(): from those items
};

}  // namespace troupe
