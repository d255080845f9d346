#include "troupe/graph/passes/fuse_elementwise.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/passes/node_uses.hpp"

namespace troupe {
namespace {

class Fuser {
 public:
  explicit Fuser(std::vector<NodeDef>& nodes)
      : nodes_(nodes), uses_(nodes), is_part_(nodes.size()) {}

  void run() {
    if (!uses_.has_distinct_names()) return;
    for (auto last = nodes_.size(); last-- > 0;)
      if (!is_part_[last] && can_be_part(last)) fuse(group_of(last));
    std::vector<NodeDef> kept;
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (!is_part_[i] || nodes_[i].op == fusion::op) kept.push_back(std::move(nodes_[i]));
    nodes_ = std::move(kept);
  }

 private:
  bool can_be_part(size_t index) const {
    const auto& node = nodes_[index];
    auto is_value = [](const auto& input) { return !input.starts_with('^'); };
    auto count = fusion::operand_count(node.op);
    return count > 0 && fusion::fits_part(node.op, node.attrs) &&
           std::ranges::count_if(node.inputs, is_value) == count &&
           uses_.comes_behind_inputs(node, index);
  }

  /// The node with all those before it that only the group uses (FU-1).
  NodeGroup group_of(size_t last) const {
    NodeGroup group{last}, sources;
    const auto& dtype = nodes_[last].attrs.at("T");
    auto add_sources = [&](size_t user) {
      for (const auto& input : nodes_[user].inputs)
        if (auto source = uses_.source_of(input)) sources.insert(*source);
    };
    add_sources(last);
    while (!sources.empty() && group.size() < fusion::parts_max) {
      auto source = sources.extract(sources.begin()).value();
      auto fits = can_be_part(source) && nodes_[source].attrs.at("T") == dtype &&
                  uses_.only_serves(group, source);
      if (!fits) continue;
      group.insert(source);
      add_sources(source);
    }
    return group;
  }

  void fuse(const NodeGroup& group) {
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

  bool is_in(const NodeGroup& group, const std::string& input) const {
    auto source = uses_.source_of(input);
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
  NodeUses uses_;
  std::vector<bool> is_part_;  // by node
};

}  // namespace

void fuse_elementwise(std::vector<NodeDef>& nodes) { Fuser(nodes).run(); }

std::vector<NodeDef> nodes_of_elementwise(const NodeDef& fused) {
  auto dtype = *fused.attrs.at("T").get<DType>();
  auto parts = fusion::parts_of(fused.attrs);
  auto first_control =
      std::ranges::find_if(fused.inputs, [](const auto& input) { return input.starts_with('^'); });
  std::vector<std::string> names(fused.inputs.begin(), first_control);
  std::vector<NodeDef> nodes;
  for (const auto& part : parts) {
    NodeDef single{
        .name = part.name,
        .op = part.op,
        .device = fused.device,
        .inputs = {},
        .attrs = fusion::attrs_of_part(part.op, dtype)};
    for (auto operand : part.operands) single.inputs.push_back(names[operand]);
    names.push_back(part.name + ":0");
    nodes.push_back(std::move(single));
  }
  nodes.back().inputs.insert(nodes.back().inputs.end(), first_control, fused.inputs.end());
  return nodes;
}

}  // namespace troupe
