#include "troupe/graph/build/context_attrs.hpp"

#include <algorithm>
#include <charconv>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

constexpr const char* context_attr = "_context";
constexpr const char* table_attr = "_contexts";

/// The fields of a context as words; names of graphs contain no spaces.
class Words {
 public:
  explicit Words(std::string text) : text_(std::move(text)) {}

  std::string next() {
    auto end = std::min(text_.find(' ', at_), text_.size());
    auto word = text_.substr(std::min(at_, text_.size()), end - std::min(at_, end));
    at_ = end + 1;
    return word;
  }
  int64_t number() {
    auto word = next();
    int64_t value = -1;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }
  bool at_end() const { return at_ >= text_.size(); }

 private:
  std::string text_;
  size_t at_ = 0;
};

std::string name_of(const Graph& graph, Output output) {
  return output.node < 0 ? "-" : graph.name_of(output);
}

std::string to_words(const Graph& graph, const ControlFlowContext& context) {
  auto node = [&](NodeId id) { return name_of(graph, {id, 0}); };
  std::string text;
  auto add = [&text](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (int64_t number :
       {static_cast<int64_t>(context.parent), static_cast<int64_t>(context.is_loop),
        static_cast<int64_t>(context.forward), static_cast<int64_t>(context.branch),
        context.parallel_iterations, static_cast<int64_t>(context.variables.size())})
    add(std::to_string(number));
  add(context.frame.empty() ? "-" : context.frame);
  add(name_of(graph, context.predicate));
  add(node(context.condition));
  add(node(context.pivot));
  for (const auto& variable : context.variables)
    for (auto output :
         {variable.enter, variable.merge, variable.body, variable.exit, variable.next})
      add(name_of(graph, output));
  for (const auto& [outside, inside] : context.imported) {
    add(name_of(graph, outside));
    add(name_of(graph, inside));
  }
  return text;
}

/// What a function lacks, whose nodes are not all of the body's, has no node.
Output find(const Graph& graph, const std::string& name) {
  auto colon = name.rfind(':');
  if (colon == std::string::npos || !graph.contains(name.substr(0, colon))) return {};
  auto found = graph.find_output(name);
  // A node without outputs is named like one with some.
  return found ? *found : Output{*graph.find(name.substr(0, colon)), 0};
}

ControlFlowContext from_words(const Graph& graph, const std::string& text) {
  Words words(text);
  ControlFlowContext context;
  context.parent = static_cast<int>(words.number());
  context.is_loop = words.number() == 1;
  context.forward = static_cast<int>(words.number());
  context.branch = static_cast<int>(words.number());
  context.parallel_iterations = words.number();
  auto variables = words.number();
  context.frame = words.next();
  context.predicate = find(graph, words.next());
  context.condition = find(graph, words.next()).node;
  context.pivot = find(graph, words.next()).node;
  for (int64_t i = 0; i < variables && !words.at_end(); ++i) {
    LoopVariable variable;
    for (auto* output :
         {&variable.enter, &variable.merge, &variable.body, &variable.exit, &variable.next})
      *output = find(graph, words.next());
    context.variables.push_back(variable);
  }
  while (!words.at_end()) {
    auto outside = find(graph, words.next()), inside = find(graph, words.next());
    if (outside.node >= 0 && inside.node >= 0) context.imported.emplace(outside, inside);
  }
  return context;
}

bool is_op(const Graph& graph, Output output, bool (*is_it)(std::string_view)) {
  return output.node >= 0 && is_it(graph.node(output.node).op->name());
}

bool is_switch(std::string_view op) { return op == "Switch" || op == "RefSwitch"; }

bool is_variable(const Graph& graph, const LoopVariable& variable) {
  if (variable.body.node < 0 || graph.node(variable.body.node).inputs.empty()) return false;
  return is_op(graph, graph.node(variable.body.node).inputs[0], is_switch) &&
         is_op(graph, variable.enter, loops::is_enter) &&
         is_op(graph, variable.merge, loops::is_merge) &&
         is_op(graph, variable.exit, loops::is_exit) &&
         is_op(graph, variable.next, loops::is_next_iteration);
}

/// A function may come from a file, whose attributes may be anything.
bool is_context(const Graph& graph, const ControlFlowContext& context, int number) {
  if (context.parent < -1 || context.parent >= number) return false;
  if (context.forward < -1 || context.forward >= number) return false;
  if (!context.is_loop)
    return context.predicate.node >= 0 && (context.branch == 0 || context.branch == 1) &&
           graph.dtype_of(context.predicate) == DType::boolean;
  auto is_condition = [](std::string_view op) { return op == loops::loop_cond; };
  return is_op(graph, {context.condition, 0}, is_condition) &&
         std::ranges::all_of(
             context.variables, [&](const auto& variable) { return is_variable(graph, variable); });
}

}  // namespace

void note_contexts(const Builder& body, FunctionDef& function) {
  const auto& contexts = body.contexts();
  const auto& graph = body.graph();
  for (auto& node : function.nodes) {
    node.attrs.erase(context_attr);
    node.attrs.erase(table_attr);
    auto context = contexts.of(*graph.find(node.name));
    if (context >= 0) node.attrs[context_attr] = context;
  }
  if (contexts.size() == 0 || function.nodes.empty()) return;
  std::vector<std::string> table;
  for (int i = 0; i < contexts.size(); ++i) table.push_back(to_words(graph, contexts.at(i)));
  function.nodes[0].attrs[table_attr] = table;
}

void restore_contexts(const Builder& body) {
  const auto& graph = body.graph();
  auto& contexts = body.contexts();
  std::vector<ControlFlowContext> restored;
  for (const auto& node : graph.nodes()) {
    auto table = node.attrs.find(table_attr);
    auto* lines =
        table == node.attrs.end() ? nullptr : table->second.get<std::vector<std::string>>();
    for (const auto& line : lines ? *lines : std::vector<std::string>()) {
      restored.push_back(from_words(graph, line));
      if (!is_context(graph, restored.back(), static_cast<int>(restored.size()) - 1)) return;
    }
  }
  for (auto& context : restored) contexts.add(std::move(context));
  for (const auto& node : graph.nodes()) {
    auto found = node.attrs.find(context_attr);
    auto* context = found == node.attrs.end() ? nullptr : found->second.get<int64_t>();
    if (context && *context >= 0 && *context < contexts.size())
      contexts.put(node.id, static_cast<int>(*context));
  }
}

}  // namespace troupe
