#include "troupe/graph/import/function_outputs.hpp"

#include <charconv>
#include <vector>

#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// "a:b:0" in its parts.
std::vector<std::string> split_at_colons(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (char c : text) {
    if (c == ':') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

/// How many outputs an argument of the op stands for, in a node with those attributes.
int64_t count_of(const Op& op, const Argument& argument, const Attrs& attrs) {
  const auto& name = argument.count_attr.empty() ? argument.dtypes_attr : argument.count_attr;
  if (name.empty()) return 1;
  const AttrValue* value = nullptr;
  if (auto found = attrs.find(name); found != attrs.end()) value = &found->second;
  else if (auto* rule = op.find_attr(name); rule && rule->fallback) value = &*rule->fallback;
  if (!value) return 0;
  if (auto* count = value->get<int64_t>()) return *count;
  auto* dtypes = value->get<DTypes>();
  return dtypes ? static_cast<int64_t>(dtypes->size()) : 0;
}

}  // namespace

FunctionInputNames::FunctionInputNames(
    const OpCatalog& catalog, const proto::FunctionDef& function,
    const std::map<std::string, const proto::FunctionDef*, std::less<>>& functions)
    : catalog_(catalog), functions_(functions) {
  for (const auto& node : function.node_def()) messages_.emplace(node.name(), &node);
  for (const auto& argument : function.signature().input_arg())
    arguments_.emplace(argument.name(), static_cast<int>(arguments_.size()));
}

Result<int64_t> FunctionInputNames::offset_of(
    const proto::NodeDef& message, const NodeDef& node, const std::string& output) const {
  auto missing = invalid_argument("node '" + node.name + "' has no output '" + output + "'");
  int64_t offset = 0;
  if (auto called = functions_.find(message.op()); called != functions_.end()) {
    for (const auto& result : called->second->signature().output_arg()) {
      if (result.name() == output) return offset;
      ++offset;
    }
    return missing;
  }
  auto op = catalog_.find(node.op);
  if (!op) return op.status();
  for (const auto& argument : (*op)->outputs()) {
    if (argument.name == output) return offset;
    offset += count_of(**op, argument, node.attrs);
  }
  return missing;
}

Result<std::string> FunctionInputNames::translate(
    const std::string& input, const std::map<std::string, const NodeDef*>& nodes) const {
  if (input.starts_with('^')) return input;
  auto parts = split_at_colons(input);
  if (arguments_.contains(parts[0])) {
    if (parts.size() == 1 || (parts.size() == 2 && parts[1] == "0")) return parts[0];
    return invalid_argument("'" + input + "' is no argument of the function");
  }
  auto node = nodes.find(parts[0]);
  auto message = messages_.find(parts[0]);
  if (node == nodes.end() || message == messages_.end() || parts.size() < 2 || parts.size() > 3)
    return invalid_argument("the function has no value '" + input + "'");
  int64_t index = 0;
  if (parts.size() == 3) {
    const auto& digits = parts[2];
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size() || index < 0)
      return invalid_argument("'" + input + "' is not of the form 'node:output:0'");
  }
  auto offset = offset_of(*message->second, *node->second, parts[1]);
  if (!offset) return offset.status();
  constexpr int64_t index_max = 1 << 30;
  if (*offset < 0 || index > index_max || *offset > index_max)
    return invalid_argument("the function has no value '" + input + "'");
  return parts[0] + ":" + std::to_string(*offset + index);
}

std::string function_output_name(const Graph& body, Output output) {
  const auto& node = body.node(output.node);
  if (node.op->name() == transfer::arg) return node.name;
  int64_t index = output.index;
  for (const auto& argument : node.op->outputs()) {
    auto count = count_of(*node.op, argument, node.attrs);
    if (index < count) return node.name + ":" + argument.name + ":" + std::to_string(index);
    index -= count;
  }
  CHECK(false);
  return "";
}

}  // namespace troupe
