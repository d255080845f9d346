#include "troupe/graph/build/contexts.hpp"

#include <algorithm>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/loop_history.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {

int ControlFlowContexts::add(ControlFlowContext context) {
  all_.push_back(std::move(context));
  return size() - 1;
}

void ControlFlowContexts::put(NodeId node, int context) {
  auto index = static_cast<size_t>(node);
  if (context < 0 && index >= of_nodes_.size()) return;
  if (index >= of_nodes_.size()) of_nodes_.resize(index + 1, -1);
  of_nodes_[index] = context;
}

bool ControlFlowContexts::is_in(int inner, int outer) const {
  while (inner >= 0 && inner != outer) inner = at(inner).parent;
  return inner == outer;
}

int ControlFlowContexts::loop_around(int context) const {
  while (context >= 0 && !at(context).is_loop) context = at(context).parent;
  return context;
}

namespace {

Status not_outside(const Builder& builder, Output value) {
  return invalid_argument(
      "'" + builder.graph().name_of(value) +
      "' is inside of a branch or loop, and cannot be used outside of it: return it as a result");
}

/// The value as that context, whose parent has it as `outer`, calls it.
Result<Output> add_import(const Builder& builder, Output outer, int context) {
  const auto& inside = builder.contexts().at(context);
  if (inside.is_loop) {
    auto is_handle = builder.graph().dtype_of(outer) == DType::resource;
    auto here = is_handle ? builder.on("") : builder;  // a handle stays where its resource is
    auto is_reference = builder.graph().is_reference(outer);
    auto entered = here.add_in(
        context, is_reference ? loops::ref_enter : loops::enter, {outer},
        {{"frame_name", inside.frame},
         {"is_constant", true},
         {"parallel_iterations", inside.parallel_iterations}});
    return entered.output();
  }
  auto here = builder.on(builder.graph().node(outer.node).device);
  auto* op = builder.graph().is_reference(outer) ? "RefSwitch" : "Switch";
  auto chosen = here.add_in(context, op, {outer, inside.predicate});
  return Output{chosen.output().node, inside.branch};
}

bool is_loop_invariant(const Graph& graph, Output input) {
  const auto& node = graph.node(input.node);
  return loops::is_enter(node.op->name()) && node.attr<bool>("is_constant");
}

/// The node as one that nodes of the context can wait for. What comes into a loop is a value, so
/// for a node outside of one it is a signal.
Result<std::string> import_control(const Builder& builder, NodeId node, int context) {
  auto& contexts = builder.contexts();
  auto of = contexts.of(node);
  if (contexts.loop_around(of) == contexts.loop_around(context))
    return builder.graph().node(node).name;
  auto signal =
      builder.on(builder.graph().node(node).device)
          .add_in(
              of, "Const", {}, {{"value", Tensor::scalar(true)}, {"dtype", DType::boolean}},
              {builder.graph().node(node).name});
  auto inside = import_value(builder, signal.output(), context);
  if (!inside) return inside.status();
  return builder.graph().node(inside->node).name;
}

}  // namespace

Result<Output> import_value(const Builder& builder, Output value, int context) {
  auto& contexts = builder.contexts();
  auto of = contexts.of(value.node);
  if (of == context) return value;
  if (context < 0) return not_outside(builder, value);
  if (auto found = contexts.at(context).imported.find(value);
      found != contexts.at(context).imported.end())
    return found->second;
  auto forward = contexts.at(context).forward;
  auto comes_over_stack = forward >= 0 && of == forward;
  if (!comes_over_stack && forward >= 0 && contexts.is_in(of, forward))
    return not_outside(builder, value);
  auto imported = [&]() -> Result<Output> {
    if (comes_over_stack) return recall_value(builder, value, context);
    auto outer = import_value(builder, value, contexts.at(context).parent);
    return outer ? add_import(builder, *outer, context) : outer;
  }();
  if (imported) contexts.at(context).imported[value] = *imported;
  return imported;
}

Status adopt_node(const Builder& builder, std::vector<Output>& inputs, NodeDef& def) {
  auto& contexts = builder.contexts();
  auto context = contexts.current();
  const auto& graph = builder.graph();
  auto is_timed = false;  // something says in which iteration, or whether at all, it runs
  for (auto& input : inputs) {
    auto inside = import_value(builder, input, context);
    if (!inside) return inside.status();
    input = *inside;
    is_timed |= context >= 0 && !(contexts.at(context).is_loop && is_loop_invariant(graph, input));
  }
  if (context < 0) return {};
  for (auto& control : def.inputs) {
    auto node = graph.find(std::string_view(control).substr(1));
    if (!node) return node.status();
    auto inside = import_control(builder, *node, context);
    if (!inside) return inside.status();
    control = "^" + *inside;
  }
  auto pivot = contexts.at(context).pivot;
  if (!is_timed && pivot >= 0) def.inputs.push_back("^" + graph.node(pivot).name);
  return {};
}

}  // namespace troupe
