#include "troupe/graph/passes/later_reads.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::ranges::count(ops, op) > 0;
}

bool only_reads(const Node& node) {
  return loops::passes_on(node.op->name()) ||
         is_one_of(
             node.op->name(), {"ReadVariableOp", "VariableShape", "ResourceGather",
                               "ResourceGatherNd", "VarIsInitializedOp", "IsVariableInitialized"});
}

class LaterReadFinder {
 public:
  using References = std::map<std::pair<NodeId, Output>, Output>;

  LaterReadFinder(
      const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices)
      : graph_(graph), step_(step), devices_(devices) {}

  References run() {
    auto reads = first_reads();
    if (reads.empty()) return {};
    find_users_and_writers();
    for (auto [node, variable] : reads) visit(node, variable);
    return std::move(found_);
  }

 private:
  using Nodes = std::vector<NodeId>;

  bool is_fed(Output output) const { return std::ranges::count(step_.feeds, output) > 0; }

  /// The node that makes the handle or the reference that ops have passed on or written to; another
  /// one where it goes round in a loop.
  const Node& handle_behind(Output output) const {
    const auto* node = &graph_.node(output.node);
    while (!node->op->makes_resource_handle() && !node->inputs.empty() &&
           node->inputs[0].node < node->id &&
           (loops::passes_on(node->op->name()) || node->takes_reference(0)))
      node = &graph_.node(node->inputs[0].node);
    return *node;
  }

  /// The nodes that take the value of a reference and give it, with the variable's reference.
  std::vector<std::pair<NodeId, Output>> first_reads() const {
    std::vector<std::pair<NodeId, Output>> reads;
    for (auto id : step_.nodes) {
      const auto& node = graph_.node(id);
      if (!shares_memory_of_input(node)) continue;
      auto input = node.inputs[0];
      if (!graph_.is_reference(input) || node.takes_reference(0) || is_fed(input)) continue;
      const auto& handle = handle_behind(input);
      if (handle.op->makes_resource_handle() && devices_.at(handle.id) == devices_.at(id))
        reads.emplace_back(id, Output{handle.id, 0});
    }
    return reads;
  }

  void find_users_and_writers() {
    for (auto id : step_.nodes) {
      const auto& node = graph_.node(id);
      for (auto input : node.inputs)
        if (!is_fed(input)) users_[input.node].push_back(id);
      for (auto input : node.control_inputs) users_[input].push_back(id);
      if (only_reads(node)) continue;
      for (int i = 0; i < static_cast<int>(node.inputs.size()); ++i) {
        auto input = node.inputs[static_cast<size_t>(i)];
        if (!node.takes_reference(i) && graph_.dtype_of(input) != DType::resource) continue;
        if (auto name = resource_of(handle_behind(input))) writers_[*name].push_back(id);
      }
    }
  }

  /// Those of the users of a first read's value that the step runs after a node that writes to the
  /// variable, unless they do so only because the read does.
  void visit(NodeId read, Output variable) {
    auto writers = writers_.find(*resource_of(graph_.node(variable.node)));
    if (writers == writers_.end()) return;
    auto users = users_of_value(read);
    if (users.empty()) return;
    auto is_later = reached_from(writers->second, read);
    for (auto [user, input] : users)
      if (is_later[static_cast<size_t>(user)]) found_.emplace(std::pair(user, input), variable);
  }

  /// The nodes on the read's device that compute something of its value, and their inputs.
  std::vector<std::pair<NodeId, Output>> users_of_value(NodeId read) const {
    std::vector<std::pair<NodeId, Output>> users;
    Nodes sharing{read};
    std::unordered_set<NodeId> seen;  // a node may wait for what it also takes
    while (!sharing.empty()) {
      auto source = sharing.back();
      sharing.pop_back();
      auto found = users_.find(source);
      if (found == users_.end() || !seen.insert(source).second) continue;
      for (auto id : found->second) {
        const auto& node = graph_.node(id);
        if (devices_.at(id) != devices_.at(read)) continue;
        auto shares = shares_memory_of_input(node) && node.inputs[0].node == source;
        if (shares) sharing.push_back(id);
        if (shares ? node.op->name() == "Identity" || node.op->name() == "StopGradient"
                   : !is_control_flow(node))
          for (auto input : node.inputs)
            if (input.node == source) users.emplace_back(id, input);
      }
    }
    return users;
  }

  static bool is_control_flow(const Node& node) {
    const auto& op = node.op->name();
    return loops::passes_on(op) || loops::is_merge(op) || op == loops::loop_cond;
  }

  std::vector<bool> reached_from(const Nodes& starts, NodeId without) const {
    std::vector<bool> is_reached(static_cast<size_t>(graph_.size()));
    auto unseen = starts;
    while (!unseen.empty()) {
      auto found = users_.find(unseen.back());
      unseen.pop_back();
      if (found == users_.end()) continue;
      for (auto id : found->second) {
        if (id == without || is_reached[static_cast<size_t>(id)]) continue;
        is_reached[static_cast<size_t>(id)] = true;
        unseen.push_back(id);
      }
    }
    return is_reached;
  }

  const Graph& graph_;
  const PrunedStep& step_;
  const std::map<NodeId, DeviceName>& devices_;
  std::unordered_map<NodeId, Nodes> users_;
  std::map<ResourceName, Nodes> writers_;
  References found_;
};

}  // namespace

bool shares_memory_of_input(const Node& node) {
  const auto& op = node.op->name();
  return op == "Identity" || op == "StopGradient" || op == "Switch" || op == loops::enter;
}

LaterReads::LaterReads(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices)
    : references_(LaterReadFinder(graph, step, devices).run()) {}

}  // namespace troupe
