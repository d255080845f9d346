#include "troupe/graph/passes/sort_nodes.hpp"

#include <string_view>
#include <unordered_map>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

class NodeSorter {
 public:
  explicit NodeSorter(std::vector<NodeDef>& nodes) : nodes_(nodes), states_(nodes.size()) {
    indices_.reserve(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) indices_.emplace(nodes[i].name, i);
  }

  std::vector<size_t> run() {
    for (size_t i = 0; i < nodes_.size(); ++i) visit(i);
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { unseen, open, done };

  /// Depth first, without recursion: chains are as long as graphs are.
  void visit(size_t first) {
    open_.push_back({first, 0});
    while (!open_.empty()) {
      auto& [index, next] = open_.back();
      const auto& inputs = nodes_[index].inputs;
      if (states_[index] == State::done || next == inputs.size()) {
        if (states_[index] != State::done) order_.push_back(index);
        states_[index] = State::done;
        open_.pop_back();
        continue;
      }
      states_[index] = State::open;
      auto found = indices_.find(node_of(inputs[next++]));
      if (found == indices_.end() || states_[found->second] != State::unseen) continue;
      auto is_back_edge =
          loops::is_merge(nodes_[index].op) && loops::is_next_iteration(nodes_[found->second].op);
      if (!is_back_edge) open_.push_back({found->second, 0});
    }
  }

  static std::string_view node_of(std::string_view input) {
    if (input.starts_with('^')) return input.substr(1);
    return input.substr(0, input.rfind(':'));
  }

  struct Open {
    size_t index;
    size_t next;  // input
  };

  std::vector<NodeDef>& nodes_;
  std::unordered_map<std::string_view, size_t> indices_;
  std::vector<State> states_;
  std::vector<Open> open_;
  std::vector<size_t> order_;
};

}  // namespace

void sort_inputs_first(std::vector<NodeDef>& nodes) {
  auto order = NodeSorter(nodes).run();
  std::vector<NodeDef> sorted;
  sorted.reserve(nodes.size());
  for (auto index : order) sorted.push_back(std::move(nodes[index]));
  nodes = std::move(sorted);
}

}  // namespace troupe
