#include "troupe/devices/pieces/join_pieces.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "troupe/devices/device.hpp"
#include "troupe/devices/pieces/find_pieces.hpp"

namespace troupe {
namespace {

using Edge = Plan::Edge;
/// An output of an item; -1 for its mere end.
using Source = std::pair<int32_t, int32_t>;

size_t at(int32_t index) { return static_cast<size_t>(index); }

class Joiner {
 public:
  Joiner(PlanDraft draft, const std::vector<std::vector<int32_t>>& groups)
      : draft_(draft), groups_(groups), group_of_(draft.items.size(), -1), drafts_(groups.size()) {
    for (size_t group = 0; group < groups.size(); ++group)
      for (auto item : groups[group]) group_of_[at(item)] = static_cast<int32_t>(group);
  }

  std::map<int32_t, std::shared_ptr<const PlanPiece>> join(
      const std::shared_ptr<const Graph>& graph, Device& device) {
    number_inputs();
    for (size_t group = 0; group < groups_.size(); ++group) make_piece(group, graph);
    find_places();
    rebuild(device);
    return std::move(by_item_);
  }

 private:
  /// A piece that is being made.
  struct PieceDraft {
    std::map<Source, int32_t> inputs;                   // from outside: their values
    std::map<Source, int32_t> values;                   // of members' outputs
    std::map<Source, int32_t> outputs;                  // that go outside: their places
    std::map<std::pair<int32_t, int32_t>, int32_t> of;  // by member and input: their values
    std::set<int32_t> awaited;                          // items that only their ends are waited for
    std::shared_ptr<PlanPiece> piece = std::make_shared<PlanPiece>();
  };

  // -- the values of pieces

  void number_inputs() {
    for (size_t item = 0; item < draft_.items.size(); ++item)
      for (const auto& edge : draft_.consumers[item]) {
        auto from = static_cast<int32_t>(item);
        auto group = group_of_[at(edge.node)];
        if (group < 0 || group == group_of_[item]) continue;
        auto& piece = drafts_[at(group)];
        if (edge.slot < 0) piece.awaited.insert(from);
        else piece.of[{edge.node, edge.slot}] = place_of(piece.inputs, {from, edge.output});
      }
  }

  static int32_t place_of(std::map<Source, int32_t>& places, Source source) {
    return places.try_emplace(source, static_cast<int32_t>(places.size())).first->second;
  }

  void make_piece(size_t group, const std::shared_ptr<const Graph>& graph) {
    auto& draft = drafts_[group];
    auto& piece = *draft.piece;
    piece.graph = graph;
    piece.input_count = static_cast<int32_t>(draft.inputs.size());
    auto value = piece.input_count;
    for (auto& constant : draft_.constants) {
      if (group_of_[at(constant.item)] != static_cast<int32_t>(group)) continue;
      draft.of[{constant.item, constant.input}] = value;
      piece.constants.emplace_back(value++, std::move(constant.value));
    }
    for (auto item : groups_[group])
      for (int32_t output = 0; output < draft_.items[at(item)].output_count; ++output)
        draft.values[{item, output}] = value++;
    piece.is_used.resize(at(value));
    for (auto item : groups_[group]) note_consumers(draft, item);
    for (auto item : groups_[group]) add_member(draft, item);
    mark_last_uses(piece);
  }

  void note_consumers(PieceDraft& draft, int32_t item) {
    auto group = group_of_[at(item)];
    for (const auto& edge : draft_.consumers[at(item)]) {
      if (edge.slot < 0) continue;
      Source source{item, edge.output};
      if (group_of_[at(edge.node)] == group) {
        draft.of[{edge.node, edge.slot}] = draft.values.at(source);
      } else if (draft.outputs.try_emplace(source, draft.piece->outputs.size()).second) {
        draft.piece->outputs.push_back(draft.values.at(source));
      }
    }
  }

  void add_member(PieceDraft& draft, int32_t index) {
    auto& piece = *draft.piece;
    const auto& item = draft_.items[at(index)];
    piece.members.push_back(
        {.compute = std::move(draft_.computes[at(index)]),
         .node = item.node,
         .first_input = static_cast<int32_t>(piece.inputs.size()),
         .input_count = item.input_count,
         .first_output = item.output_count > 0 ? draft.values.at({index, 0}) : 0,
         .output_count = item.output_count,
         .repeats = item.kernel->repeats});
    if (item.kernel->repeats == Repeats::as_work) ++piece.work_count;
    for (int32_t input = 0; input < item.input_count; ++input)
      piece.inputs.push_back({.value = draft.of.at({index, input}), .is_last = false});
  }

  static void mark_last_uses(PlanPiece& piece) {
    auto is_used_later = std::vector<bool>(piece.is_used.size());
    for (auto value : piece.outputs) is_used_later[at(value)] = true;
    for (const auto& [value, constant] : piece.constants) is_used_later[at(value)] = true;
    for (auto input = piece.inputs.rbegin(); input != piece.inputs.rend(); ++input) {
      input->is_last = !is_used_later[at(input->value)];
      is_used_later[at(input->value)] = true;
    }
    piece.is_used = std::move(is_used_later);
  }

  // -- the plan with an item for each piece, in the place of its first member

  void find_places() {
    std::vector<int32_t> piece_at(groups_.size(), -1);
    place_.resize(draft_.items.size());
    for (size_t item = 0; item < draft_.items.size(); ++item) {
      auto group = group_of_[item];
      if (group >= 0 && piece_at[at(group)] >= 0) {
        place_[item] = piece_at[at(group)];
        continue;
      }
      place_[item] = place_count_++;
      if (group >= 0) piece_at[at(group)] = place_[item];
    }
  }

  void rebuild(Device& device) {
    std::vector<Plan::NodeItem> items(at(place_count_));
    std::vector<KernelCatalog::Compute> computes(at(place_count_));
    std::vector<std::vector<Edge>> consumers(at(place_count_));
    for (size_t item = 0; item < draft_.items.size(); ++item) {
      auto place = at(place_[item]);
      add_edges(static_cast<int32_t>(item), consumers[place]);
      if (auto group = group_of_[item]; group < 0) {
        items[place] = draft_.items[item];
        computes[place] = std::move(draft_.computes[item]);
      } else if (!by_item_.contains(place_[item])) {
        items[place] = piece_item(drafts_[at(group)], draft_.items[item], device, computes[place]);
        by_item_[place_[item]] = drafts_[at(group)].piece;
      }
    }
    std::erase_if(
        draft_.constants, [&](const auto& constant) { return group_of_[at(constant.item)] >= 0; });
    for (auto& constant : draft_.constants) constant.item = place_[at(constant.item)];
    draft_.items = std::move(items);
    draft_.computes = std::move(computes);
    draft_.consumers = std::move(consumers);
  }

  Plan::NodeItem piece_item(
      const PieceDraft& draft, const Plan::NodeItem& first, Device& device,
      KernelCatalog::Compute& compute) {
    auto kernel = device.make_piece_kernel(draft.piece);
    compute = std::exchange(kernel.compute, nullptr);
    const auto& kept = draft_.kernels.emplace_back(std::move(kernel));
    auto item = first;
    item.kernel = &kept;
    item.input_count = draft.piece->input_count;
    item.output_count = static_cast<int32_t>(draft.outputs.size());
    item.waits_for = static_cast<int32_t>(draft.inputs.size() + draft.awaited.size());
    item.has_cost = kept.cost_ns != nullptr;
    return item;
  }

  /// To the edges of an item's place those that lead out of it.
  void add_edges(int32_t item, std::vector<Edge>& edges) {
    auto group = group_of_[at(item)];
    for (const auto& edge : draft_.consumers[at(item)]) {
      auto to = group_of_[at(edge.node)];
      if (to >= 0 && to == group) continue;
      auto moved = edge;
      moved.node = place_[at(edge.node)];
      if (group >= 0 && edge.slot >= 0)
        moved.output = drafts_[at(group)].outputs.at({item, edge.output});
      if (to >= 0 && edge.slot >= 0) moved.slot = drafts_[at(to)].inputs.at({item, edge.output});
      // A piece waits once for each value, and once for the end of an item.
      if (to >= 0 && !passed_.insert({item, moved.node, moved.slot}).second) continue;
      edges.push_back(moved);
    }
  }

  PlanDraft draft_;
  const std::vector<std::vector<int32_t>>& groups_;
  std::vector<int32_t> group_of_;  // by item; -1 for one of no piece
  std::vector<PieceDraft> drafts_;
  std::vector<int32_t> place_;  // by item
  int32_t place_count_ = 0;
  std::set<std::tuple<int32_t, int32_t, int32_t>> passed_;  // item, piece, slot
  std::map<int32_t, std::shared_ptr<const PlanPiece>> by_item_;
};

}  // namespace

std::map<int32_t, std::shared_ptr<const PlanPiece>> join_pieces(
    const std::shared_ptr<const Graph>& graph, Device& device, PlanDraft draft, int launches_min) {
  auto groups = find_pieces(*graph, draft, launches_min);
  if (groups.empty()) return {};
  return Joiner(draft, groups).join(graph, device);
}

}  // namespace troupe
