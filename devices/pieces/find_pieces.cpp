#include "troupe/devices/pieces/find_pieces.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// Sets of what a value hangs on: nodes that may wait, or whose outputs may be dead. Numbered, and
/// number 0 is the empty one.
class Sets {
 public:
  int unite(int a, int b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    auto [known, is_new] = unions_.try_emplace(std::minmax(a, b), 0);
    if (!is_new) return known->second;
    std::vector<int> joined;
    std::ranges::set_union(members_[at(a)], members_[at(b)], std::back_inserter(joined));
    return known->second = number_of(std::move(joined));
  }

  /// The set of one output of an item; of all of them for -1, which a control edge carries.
  int of_output(int32_t item, int32_t output) {
    auto next = static_cast<int>(outputs_.size());
    return number_of({outputs_.try_emplace({item, output}, next).first->second});
  }

 private:
  static size_t at(int number) { return static_cast<size_t>(number); }

  int number_of(std::vector<int> members) {
    auto [known, is_new] = numbers_.try_emplace(members, static_cast<int>(members_.size()));
    if (is_new) members_.push_back(std::move(members));
    return known->second;
  }

  std::vector<std::vector<int>> members_{{}};
  std::map<std::vector<int>, int> numbers_{{{}, 0}};
  std::map<std::pair<int, int>, int> unions_;
  std::map<std::pair<int32_t, int32_t>, int> outputs_;
};

class PieceFinder {
 public:
  PieceFinder(const Graph& graph, const PlanDraft& draft) : graph_(graph), draft_(draft) {}

  /// Visits each item behind all that it needs, and gathers those of a piece.
  std::vector<std::vector<int32_t>> find(int launches_min) {
    std::vector<int32_t> awaited(draft_.items.size());
    std::vector<int32_t> ready;
    for (size_t i = 0; i < awaited.size(); ++i) {
      // What a Merge waits for may come from behind it, and it is a source of its own.
      awaited[i] = draft_.items[i].merges ? 0 : draft_.items[i].waits_for;
      if (awaited[i] == 0) ready.push_back(static_cast<int32_t>(i));
    }
    marks_.resize(awaited.size());
    for (size_t next = 0; next < ready.size(); ++next) {
      visit(ready[next]);
      for (const auto& edge : draft_.consumers[at(ready[next])])
        if (!draft_.items[at(edge.node)].merges && --awaited[at(edge.node)] == 0)
          ready.push_back(edge.node);
    }
    std::vector<std::vector<int32_t>> pieces;
    for (const auto& [key, items] : groups_) add_pieces(items, launches_min, pieces);
    return pieces;
  }

 private:
  /// What is known of an item once all that it needs was visited.
  struct Mark {
    int set = 0;    // of what it hangs on
    int stage = 0;  // on how many items of the same set one after the other that do not repeat
  };

  static size_t at(int32_t index) { return static_cast<size_t>(index); }

  void visit(int32_t index) {
    const auto& mark = marks_[at(index)];
    auto repeats = is_member(index);
    if (repeats) groups_[{draft_.items[at(index)].frame, mark.set, mark.stage}].push_back(index);
    auto is_own = is_source(index);
    for (const auto& edge : draft_.consumers[at(index)]) {
      auto set = is_own ? sets_.of_output(index, edge.slot < 0 ? -1 : edge.output) : mark.set;
      auto& reached = marks_[at(edge.node)];
      auto joined = sets_.unite(reached.set, set);
      // A stage counts within a set; all that has another comes before the first stage.
      auto stage = set == joined ? (is_own ? 0 : mark.stage + (repeats ? 0 : 1)) : 0;
      reached.stage = std::max(joined == reached.set ? reached.stage : 0, stage);
      reached.set = joined;
    }
  }

  /// Cuts what could be one piece where a value is sent: the value is then on its way while the
  /// device does what follows.
  void add_pieces(
      const std::vector<int32_t>& items, int launches_min,
      std::vector<std::vector<int32_t>>& pieces) const {
    std::vector<int32_t> piece;
    int works = 0;
    auto has_sent = false;
    for (auto item : items) {
      piece.push_back(item);
      works += puts_work(item);
      has_sent |= is_sent(item);
      if (works < launches_min || !(has_sent || item == items.back())) continue;
      pieces.push_back(std::exchange(piece, {}));
      works = 0;
      has_sent = false;
    }
  }

  /// Whether an output of it is sent, perhaps by way of a copy in the host's memory.
  bool is_sent(int32_t index) const {
    return std::ranges::any_of(draft_.consumers[at(index)], [&](const Plan::Edge& edge) {
      if (edge.slot < 0) return false;
      if (node_of(edge.node).op->name() == transfer::send) return true;
      return draft_.items[at(edge.node)].node == draft_.items[at(index)].node && is_sent(edge.node);
    });
  }

  const Node& node_of(int32_t index) const { return graph_.node(draft_.items[at(index)].node); }
  bool puts_work(int32_t index) const {
    return draft_.items[at(index)].kernel->repeats == Repeats::as_work;
  }

  /// Whether an item may wait for what other nodes do, or give dead outputs where its inputs are
  /// not. A read of a variable waits at most for an update that runs.
  bool is_source(int32_t index) const {
    const auto& item = draft_.items[at(index)];
    const auto& op = node_of(index).op->name();
    if (op == "ReadVariableOp" || op == transfer::read) return false;
    return item.waits || item.merges || item.loop_role != LoopRole::none || op == "Switch" ||
           op == "RefSwitch" || item.kernel->takes_dead;
  }

  bool is_member(int32_t index) const {
    const auto& item = draft_.items[at(index)];
    if (item.kernel->repeats == Repeats::no || is_source(index)) return false;
    const auto& node = node_of(index);
    for (size_t i = 0; i < node.output_dtypes.size(); ++i)
      if (!is_plain(node.output_dtypes[i]) || node.gives_reference(static_cast<int>(i)))
        return false;
    return std::ranges::all_of(node.inputs, [&](Output input) {
      return is_plain(graph_.dtype_of(input)) && !graph_.is_reference(input);
    });
  }

  const Graph& graph_;
  const PlanDraft& draft_;
  Sets sets_;
  std::vector<Mark> marks_;
  std::map<std::tuple<int32_t, int, int>, std::vector<int32_t>> groups_;  // by frame, set, stage
};

}  // namespace

std::vector<std::vector<int32_t>> find_pieces(
    const Graph& graph, const PlanDraft& draft, int launches_min) {
  return PieceFinder(graph, draft).find(launches_min);
}

}  // namespace troupe
