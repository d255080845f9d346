#include "troupe/graph/op_signature.hpp"

#include <algorithm>

namespace troupe {
namespace {

std::string type_of(const Argument& argument) {
  auto reference = std::string(argument.is_ref ? "ref " : "");
  if (!argument.dtypes_attr.empty()) return "[" + argument.dtypes_attr + "]";
  auto dtype = argument.dtype_attr.empty() ? to_string(argument.dtype) : argument.dtype_attr;
  return reference + (argument.count_attr.empty() ? "" : argument.count_attr + "*") + dtype;
}

/// On one line.
std::string text_of(const AttrValue& value) {
  auto text = value.to_string();
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\n");
  return text;
}

std::string text_of(const AttrRule& rule) {
  auto text = rule.name + ": " + to_string(rule.type);
  return rule.fallback ? text + " = " + text_of(*rule.fallback) : text;
}

void append(std::string& list, const std::string& item, const char* separator = ", ") {
  list += (list.empty() ? "" : separator) + item;
}

}  // namespace

bool is_told_by_inputs(const Op& op, const std::string& attr) {
  return std::ranges::any_of(op.inputs(), [&](const Argument& input) {
    return attr == input.dtype_attr || attr == input.count_attr || attr == input.dtypes_attr;
  });
}

std::string signature(const Op& op) {
  std::string inputs, attrs, outputs;
  for (const auto& input : op.inputs()) append(inputs, input.name + ": " + type_of(input));
  auto rules = op.attrs();
  std::ranges::sort(rules, {}, &AttrRule::name);
  for (const auto& rule : rules)
    if (!is_told_by_inputs(op, rule.name)) append(attrs, text_of(rule));
  for (const auto& output : op.outputs()) append(outputs, output.name + ": " + type_of(output));
  if (!attrs.empty()) inputs += "; " + attrs;
  return op.name() + "(" + inputs + ")" + (outputs.empty() ? "" : " -> " + outputs);
}

std::string dtypes_text(const Op& op) {
  std::string text;
  for (const auto& rule : op.attrs()) {
    if (rule.allowed_dtypes.empty()) continue;
    auto dtypes = rule.name + ":";
    for (auto dtype : rule.allowed_dtypes) dtypes += std::string(" ") + to_string(dtype);
    append(text, dtypes, "; ");
  }
  return text;
}

}  // namespace troupe
