#include "troupe/graph/passes/fuse_rows.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/passes/node_uses.hpp"

namespace troupe {
namespace {

bool is_control(const std::string& input) { return input.starts_with('^'); }

/// "node:0" for "node".
std::string output_of(const std::string& input) {
  return input.find(':') == std::string::npos ? input + ":0" : input;
}

std::vector<std::string> values_of(const NodeDef& node) {
  std::vector<std::string> values;
  for (const auto& input : node.inputs)
    if (!is_control(input)) values.push_back(output_of(input));
  return values;
}

/// The parts that a node becomes, whose operands are numbered as those of a fused node.
std::vector<fusion::Part> parts_of(const NodeDef& node) {
  if (node.op == fusion::op) return fusion::parts_of(node.attrs);
  fusion::Part part{.name = node.name, .op = node.op, .operands = {}};
  for (size_t i = 0; i < values_of(node).size(); ++i) part.operands.push_back(static_cast<int>(i));
  return {part};
}

bool keeps_dims(const NodeDef& node) {
  auto found = node.attrs.find("keep_dims");
  const auto* value = found == node.attrs.end() ? nullptr : found->second.get<bool>();
  return value && *value;
}

/// Makes one node of several, in their order.
class RowsNode {
 public:
  RowsNode(std::vector<std::string> inputs, std::string axes)
      : inputs_(std::move(inputs)), axes_(std::move(axes)) {}

  void add(const NodeDef& node) {
    auto values = values_of(node);
    auto before = parts_.size();
    for (auto part : parts_of(node)) {
      for (auto& operand : part.operands) {
        auto own = operand - std::ssize(values);
        operand = own < 0 ? operand_of(values[static_cast<size_t>(operand)])
                          : first_part() + static_cast<int>(before + static_cast<size_t>(own));
      }
      if (fusion::is_reduction(part.op)) part.operands[1] = first_part() - 1;
      parts_.push_back(std::move(part));
    }
    made_.emplace(node.name + ":0", first_part() + static_cast<int>(parts_.size()) - 1);
    node_ends_.push_back(static_cast<int64_t>(parts_.size()));
  }

  /// Takes the place of the last of them.
  void replace(NodeDef& last, const std::set<std::string>& controls, const AttrValue& axes_dtype) {
    auto keeps = !fusion::is_reduction(last.op) || keeps_dims(last);
    last.op = fusion::rows_op;
    last.attrs = fusion::to_attrs(parts_, *last.attrs.at("T").get<DType>(), inputs_.size());
    last.attrs.emplace("Tidx", axes_dtype);
    last.attrs.emplace("node_ends", node_ends_);
    last.attrs.emplace("keep_dims", keeps);
    last.inputs = inputs_;
    last.inputs.push_back(axes_);
    last.inputs.insert(last.inputs.end(), controls.begin(), controls.end());
  }

 private:
  int first_part() const { return static_cast<int>(inputs_.size()) + 1; }

  int operand_of(const std::string& value) const {
    auto made = made_.find(value);
    if (made != made_.end()) return made->second;
    return static_cast<int>(std::ranges::find(inputs_, value) - inputs_.begin());
  }

  const std::vector<std::string> inputs_;
  const std::string axes_;
  std::map<std::string, int> made_;  // the last part of each node
  std::vector<fusion::Part> parts_;
  std::vector<int64_t> node_ends_;
};

class RowFuser {
 public:
  explicit RowFuser(std::vector<NodeDef>& nodes)
      : nodes_(nodes), uses_(nodes), is_part_(nodes.size()) {}

  void run() {
    if (!uses_.has_distinct_names()) return;
    for (auto last = nodes_.size(); last-- > 0;)
      if (!is_part_[last] && part_count(last) > 0) fuse(group_of(last));
    std::vector<NodeDef> kept;
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (!is_part_[i] || nodes_[i].op == fusion::rows_op) kept.push_back(std::move(nodes_[i]));
    nodes_ = std::move(kept);
  }

 private:
  struct Group {
    NodeGroup nodes;
    const AttrValue* axes = nullptr;  // of its reductions
    size_t parts = 0;
  };

  /// How many parts the node would be; 0 where it cannot be one.
  size_t part_count(size_t index) const {
    const auto& node = nodes_[index];
    if (node.op == fusion::op) return part_count_of_fused(index);
    auto is_reduction = fusion::is_reduction(node.op);
    auto count = is_reduction ? 2 : fusion::passes_on(node.op) ? 1 : fusion::operand_count(node.op);
    auto fits = count > 0 && fusion::fits_part(node.op, node.attrs) &&
                std::ssize(values_of(node)) == count && uses_.comes_behind_inputs(node, index) &&
                (!is_reduction || axes_of(node));
    return fits ? 1 : 0;
  }

  size_t part_count_of_fused(size_t index) const {
    const auto& node = nodes_[index];
    auto dtype = node.attrs.find("T");
    auto parts = fusion::find_parts(node.attrs);  // a peer may have sent anything
    auto fits = parts && dtype != node.attrs.end() && dtype->second.get<DType>() &&
                *node.attrs.at("N").get<int64_t>() == std::ssize(values_of(node)) &&
                !node.attrs.contains("node_ends") && uses_.comes_behind_inputs(node, index);
    return fits ? parts->size() : 0;
  }

  /// What a reduction reduces, if that is a constant.
  const AttrValue* axes_of(const NodeDef& node) const {
    auto source = uses_.source_of(values_of(node)[1]);
    if (!source || nodes_[*source].op != "Const" || !node.attrs.contains("Tidx")) return nullptr;
    auto value = nodes_[*source].attrs.find("value");
    return value == nodes_[*source].attrs.end() ? nullptr : &value->second;
  }

  bool is_reduction(size_t index) const { return fusion::is_reduction(nodes_[index].op); }

  /// The node with all those before it that only the group uses (FU-1), and that fit (FU-5).
  Group group_of(size_t last) const {
    Group group;
    NodeGroup sources;
    auto add = [&](size_t index) {
      group.nodes.insert(index);
      group.parts += part_count(index);
      if (is_reduction(index)) group.axes = axes_of(nodes_[index]);
      for (const auto& input : nodes_[index].inputs)
        if (auto source = uses_.source_of(input)) sources.insert(*source);
    };
    add(last);
    while (!sources.empty()) {
      auto source = sources.extract(sources.begin()).value();
      auto count = part_count(source);
      auto fits = count > 0 && group.parts + count <= fusion::parts_max &&
                  nodes_[source].attrs.at("T") == nodes_[last].attrs.at("T") &&
                  uses_.only_serves(group.nodes, source) && reduces_alike(group, source);
      if (fits) add(source);
    }
    return group;
  }

  bool reduces_alike(const Group& group, size_t index) const {
    if (!is_reduction(index)) return true;
    const auto& node = nodes_[index];
    return keeps_dims(node) && (!group.axes || *group.axes == *axes_of(node));
  }

  void fuse(const Group& group) {
    auto computes = [&](size_t i) { return !is_reduction(i) && !fusion::passes_on(nodes_[i].op); };
    if (!group.axes || std::ranges::none_of(group.nodes, computes)) return;
    std::vector<std::string> inputs;
    std::set<std::string> controls;
    std::string axes;
    auto add_input = [&](const std::string& input) {
      auto source = uses_.source_of(input);
      auto is_inside = source && group.nodes.contains(*source);
      if (!is_inside && !std::ranges::count(inputs, input)) inputs.push_back(input);
    };
    auto axes_dtype = AttrValue(DType::int32);
    for (auto index : group.nodes) {
      is_part_[index] = true;
      auto values = values_of(nodes_[index]);
      if (is_reduction(index)) {
        // It waits for those of all, which have one value (FU-2).
        controls.insert("^" + nodes_[*uses_.source_of(values[1])].name);
        axes = values[1];
        axes_dtype = nodes_[index].attrs.at("Tidx");
        values.pop_back();
      }
      std::ranges::for_each(values, add_input);
      std::ranges::copy_if(
          nodes_[index].inputs, std::inserter(controls, controls.end()), is_control);
    }
    controls.erase("^" + nodes_[*uses_.source_of(axes)].name);
    RowsNode rows(std::move(inputs), std::move(axes));
    for (auto index = group.nodes.rbegin(); index != group.nodes.rend(); ++index)
      rows.add(nodes_[*index]);
    rows.replace(nodes_[*group.nodes.begin()], controls, axes_dtype);
  }

  std::vector<NodeDef>& nodes_;
  NodeUses uses_;
  std::vector<bool> is_part_;  // by node
};

/// The attributes of a node of one part.
Attrs attrs_of_single(const NodeDef& rows, const fusion::Part& part, bool is_last) {
  auto attrs = fusion::attrs_of_part(part.op, *rows.attrs.at("T").get<DType>());
  if (!fusion::is_reduction(part.op)) return attrs;
  attrs.emplace("Tidx", rows.attrs.at("Tidx"));
  attrs.emplace("keep_dims", is_last ? rows.attrs.at("keep_dims") : AttrValue(true));
  return attrs;
}

/// Makes a fused node's of those parts, whose operands count from 0 in the values that it takes;
/// returns these, by the numbers that they had. Operands from `begin` on are its own parts.
std::vector<int> renumber(std::vector<fusion::Part>& parts, int begin) {
  std::vector<int> taken;
  for (const auto& part : parts)
    for (auto operand : part.operands)
      if (operand < begin && !std::ranges::count(taken, operand)) taken.push_back(operand);
  auto count = static_cast<int>(taken.size());
  for (auto& part : parts)
    for (auto& operand : part.operands)
      operand = operand < begin
                    ? static_cast<int>(std::ranges::find(taken, operand) - taken.begin())
                    : count + operand - begin;
  return taken;
}

}  // namespace

void fuse_rows(std::vector<NodeDef>& nodes) { RowFuser(nodes).run(); }

std::vector<NodeDef> nodes_of_rows(const NodeDef& rows) {
  auto parts = fusion::parts_of(rows.attrs);
  auto names = values_of(rows);
  auto input_count = static_cast<int>(names.size());
  for (const auto& part : parts) names.push_back(part.name + ":0");
  std::vector<NodeDef> nodes;
  int64_t begin = 0;
  for (auto end : *rows.attrs.at("node_ends").get<std::vector<int64_t>>()) {
    std::vector<fusion::Part> own(parts.begin() + begin, parts.begin() + end);
    NodeDef node{
        .name = own.back().name, .op = own[0].op, .device = rows.device, .inputs = {}, .attrs = {}};
    auto operands = own[0].operands;
    auto is_last = end == std::ssize(parts);
    if (own.size() == 1) {
      node.attrs = attrs_of_single(rows, own[0], is_last);
    } else {
      operands = renumber(own, input_count + static_cast<int>(begin));
      node.op = fusion::op;
      node.attrs = fusion::to_attrs(own, *rows.attrs.at("T").get<DType>(), operands.size());
    }
    for (auto operand : operands) node.inputs.push_back(names[static_cast<size_t>(operand)]);
    if (is_last) std::ranges::copy_if(rows.inputs, std::back_inserter(node.inputs), is_control);
    nodes.push_back(std::move(node));
    begin = end;
  }
  return nodes;
}

}  // namespace troupe
