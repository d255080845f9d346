#include "troupe/graph/passes/inline_scope.hpp"

#include <charconv>

namespace troupe {
namespace {

std::string node_of(const std::string& output) { return output.substr(0, output.rfind(':')); }

/// The index of "node:1"; 0 for "node", as in a graph. -1 for what is no number.
int index_of(const std::string& output) {
  auto colon = output.rfind(':');
  if (colon == std::string::npos) return 0;
  int index = -1;
  std::from_chars(output.data() + colon + 1, output.data() + output.size(), index);
  return index;
}

}  // namespace

Result<std::string> InlineScope::find(const std::string& output) const {
  auto name = node_of(output);
  auto index = index_of(output);
  auto full = name + ":" + std::to_string(index);
  if (auto found = outputs.find(full); found != outputs.end()) return found->second;
  if (auto call = find_call(name)) {
    if (index >= 0 && static_cast<size_t>(index) < call->results.size())
      return call->results[static_cast<size_t>(index)];
  } else if (auto node = nodes.find(name); node != nodes.end()) {
    return node->second + ":" + std::to_string(index);
  }
  if (prefix.empty()) return full;
  return not_found("the function has no output '" + output + "'");
}

std::shared_ptr<InlinedCall> InlineScope::find_call(const std::string& name) const {
  auto found = calls.find(name);
  return found == calls.end() ? nullptr : found->second;
}

bool InlineScope::is_inside(const std::string& output) const {
  auto name = node_of(output);
  return !shared.contains(name) && (nodes.contains(name) || calls.contains(name));
}

Status InlineScope::share(const std::string& name, const AttrValue& of, const InlineScope& other) {
  auto* original = of.get<std::string>();
  auto call = original ? other.find_call(*original) : nullptr;
  auto node = original ? other.nodes.find(*original) : other.nodes.end();
  if (!call && node == other.nodes.end())
    return invalid_argument("the forward call has no node " + of.to_string()).at({.node = name});
  if (call) calls.emplace(name, call);
  else nodes.emplace(name, node->second);
  shared.insert(name);
  return {};
}

}  // namespace troupe
