#include "troupe/graph/passes/fuse_elementwise.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "troupe/graph/ops/fusion.hpp"

namespace troupe {
namespace {

class Fuser {
 public:
  explicit Fuser(std::vector<NodeDef>& nodes)
      : nodes_(nodes), uses_(nodes.size()), is_part_(nodes.size()) {
    index_.reserve(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) index_.emplace(nodes[i].name, i);
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const auto& input : nodes[i].inputs)
        if (auto source = source_of(input)) note_use(*source, i, input);
  }

  void run() {
    if (index_.size() != nodes_.size()) return;  // two have one name
    for (auto last = nodes_.size(); last-- > 0;)
      if (!is_part_[last] && can_be_part(last)) fuse(group_of(last));
    std::vector<NodeDef> kept;
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (!is_part_[i] || nodes_[i].op == fusion::op) kept.push_back(std::move(nodes_[i]));
    nodes_ = std::move(kept);
  }

 private:
  // Descending: the last node first.
  using Group = std::set<size_t, std::greater<>>;

  struct Uses {
    std::vector<size_t> by;
    bool is_other = false;  // as a control edge, or of an output that no part has
  };

  /// The node that an input comes from, if it is one of these.
  std::optional<size_t> source_of(std::string_view input) const {
    if (input.starts_with('^')) input.remove_prefix(1);
    auto found = index_.find(input.substr(0, input.rfind(':')));
    return found == index_.end() ? std::optional<size_t>() : found->second;
  }

  void note_use(size_t source, size_t user, std::string_view input) {
    auto& uses = uses_[source];
    auto is_only_output = input == nodes_[source].name || input == nodes_[source].name + ":0";
    if (!is_only_output || user <= source) uses.is_other = true;
    else uses.by.push_back(user);
  }

  bool can_be_part(size_t index) const {
    const auto& node = nodes_[index];
    auto is_value = [](const auto& input) { return !input.starts_with('^'); };
    auto is_before = [&](const auto& input) {
      auto source = source_of(input);
      return !source || *source < index;
    };
    auto count = fusion::operand_count(node.op);
    return count > 0 && fusion::fits_part(node.op, node.attrs) &&
           std::ranges::count_if(node.inputs, is_value) == count &&
           std::ranges::all_of(node.inputs, is_before);
  }

  /// The node with all those before it that only the group uses (FU-1).
  Group group_of(size_t last) const {
    Group group{last}, sources;
    const auto& dtype = nodes_[last].attrs.at("T");
    auto add_sources = [&](size_t user) {
      for (const auto& input : nodes_[user].inputs)
        if (auto source = source_of(input)) sources.insert(*source);
    };
    add_sources(last);
    while (!sources.empty() && group.size() < fusion::parts_max) {
      auto source = sources.extract(sources.begin()).value();
      const auto& uses = uses_[source];
      auto fits = !uses.is_other && can_be_part(source) && nodes_[source].attrs.at("T") == dtype &&
                  std::ranges::all_of(uses.by, [&](size_t user) { return group.contains(user); });
      if (!fits) continue;
      group.insert(source);
      add_sources(source);
    }
    return group;
  }

  void fuse(const Group& group) {
    if (group.size() < 2) return;
    std::vector<std::string> inputs;
    std::set<std::string> controls;
    for (auto index : group) {
      is_part_[index] = true;
      for (const auto& input : nodes_[index].inputs) {
        if (input.starts_with('^')) controls.insert(input);
        else if (!is_in(group, input) && !std::ranges::count(inputs, input))
          inputs.push_back(input);
      }
    }
    std::vector<fusion::Part> parts;
    for (auto index = group.rbegin(); index != group.rend(); ++index)
      parts.push_back(to_part(nodes_[*index], inputs, parts));
    auto& last = nodes_[*group.begin()];
    last.op = fusion::op;
    last.attrs = fusion::to_attrs(parts, *last.attrs.at("T").get<DType>(), inputs.size());
    last.inputs = std::move(inputs);
    last.inputs.insert(last.inputs.end(), controls.begin(), controls.end());
  }

  bool is_in(const Group& group, const std::string& input) const {
    auto source = source_of(input);
    return source && group.contains(*source);
  }

  static fusion::Part to_part(
      const NodeDef& node, const std::vector<std::string>& inputs,
      const std::vector<fusion::Part>& before) {
    fusion::Part part{.name = node.name, .op = node.op, .operands = {}};
    for (const auto& input : node.inputs) {
      if (input.starts_with('^')) continue;
      auto given = std::ranges::find(inputs, input);
      auto name = input.substr(0, input.rfind(':'));
      auto made = std::ranges::find(before, name, &fusion::Part::name);
      auto operand = given != inputs.end() ? given - inputs.begin()
                                           : std::ssize(inputs) + (made - before.begin());
      part.operands.push_back(static_cast<int>(operand));
    }
    return part;
  }

  std::vector<NodeDef>& nodes_;
  std::unordered_map<std::string_view, size_t> index_;  // by the names in nodes_
  std::vector<Uses> uses_;                              // by node
  std::vector<bool> is_part_;                           // by node
};

}  // namespace

void fuse_elementwise(std::vector<NodeDef>& nodes) { Fuser(nodes).run(); }

std::vector<NodeDef> unfused_nodes(const Graph& graph) {
  std::vector<NodeDef> nodes;
  for (const auto& node : graph.nodes()) {
    auto def = graph.def_of(node.id);
    if (node.op->name() != fusion::op) {
      nodes.push_back(std::move(def));
      continue;
    }
    auto parts = fusion::parts_of(node.attrs);
    std::vector<std::string> names(
        def.inputs.begin(), def.inputs.begin() + std::ssize(node.inputs));
    std::vector<std::string> controls(def.inputs.begin() + std::ssize(names), def.inputs.end());
    for (const auto& part : parts) {
      NodeDef single{
          .name = part.name,
          .op = part.op,
          .device = node.device,
          .inputs = {},
          .attrs = fusion::attrs_of_part(part.op, node.attr<DType>("T"))};
      for (auto operand : part.operands) single.inputs.push_back(names[operand]);
      if (part == parts.back())
        single.inputs.insert(single.inputs.end(), controls.begin(), controls.end());
      names.push_back(part.name + ":0");
      nodes.push_back(std::move(single));
    }
  }
  return nodes;
}

}  // namespace troupe
