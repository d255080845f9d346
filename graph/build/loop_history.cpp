#include "troupe/graph/build/loop_history.hpp"

#include <algorithm>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

/// What entered the loop as a constant; nothing for another value.
std::optional<Output> invariant_source(const Graph& graph, Output value) {
  const auto& node = graph.node(value.node);
  if (!loops::is_enter(node.op->name()) || !node.attr<bool>("is_constant")) return {};
  return node.inputs[0];
}

/// With the shape that is known of it, which a stack forgets.
Output with_shape(const Builder& builder, const Value& popped, const Shape& shape) {
  if (!shape.has_rank() || !is_plain(popped.dtype())) return popped.output();
  return builder.op("EnsureShape", {popped}, {{"shape", shape}}).output();
}

}  // namespace

Result<Output> recall_value(const Builder& builder, Output value, int context) {
  auto& contexts = builder.contexts();
  const auto& graph = builder.graph();
  if (auto source = invariant_source(graph, value)) return import_value(builder, *source, context);
  auto gradient = contexts.loop_around(context);
  auto loop = contexts.at(gradient).forward;
  auto from = contexts.of(value.node);
  auto dtype = graph.dtype_of(value);
  auto shape = graph.shape_of(value);
  auto here = builder.on(graph.node(value.node).device);

  Value stack, popped;
  {
    CurrentContext around(contexts, contexts.at(loop).parent);
    stack = here.op("StackV2", {here.constant<int32_t>(-1)}, {{"elem_type", dtype}});
  }
  {
    // In the order of iterations: the counter goes on after the push of the one before.
    CurrentContext inside(contexts, from);
    auto counted = here.value(contexts.at(gradient).counter.variable.body);
    auto push = here.after({counted}).op("StackPushV2", {stack, here.value(value)});
    contexts.at(gradient).counter.pushes.push_back(push.output().node);
  }
  {
    CurrentContext inside(contexts, context);
    popped = here.op("StackPopV2", {stack}, {{"elem_type", dtype}});
    contexts.at(gradient).counter.pops.push_back(popped.output().node);
    contexts.note_recalled(popped.output().node, value);
    if (!builder.status().ok()) return builder.status();
    return with_shape(here, popped, shape);
  }
}

LoopCounter begin_counting(const Builder& builder, int loop) {
  auto& contexts = builder.contexts();
  auto around = contexts.at(loop).parent;
  auto here = builder.on(builder.graph().node(contexts.at(loop).condition).device);
  Value zero;
  {
    CurrentContext outside(contexts, around);
    zero = here.constant<int32_t>(0);
  }
  LoopCounter counter;
  auto& variable = counter.variable;
  variable.enter = here.add_in(
                           loop, loops::enter, {zero.output()},
                           {{"frame_name", contexts.at(loop).frame},
                            {"parallel_iterations", contexts.at(loop).parallel_iterations}})
                       .output();
  auto [merge, next] = here.add_loop_merge(loop, variable.enter, Shape());
  variable.merge = merge.output();
  counter.next = next;
  auto chosen =
      here.add_in(loop, "Switch", {variable.merge, {contexts.at(loop).condition, 0}}).output().node;
  variable.exit = here.add_in(around, loops::exit, {{chosen, 0}}).output();
  variable.body = here.add_in(loop, "Identity", {{chosen, 1}}).output();
  return counter;
}

void end_counting(const Builder& builder, int loop, const LoopCounter& counter) {
  auto here = builder.on(builder.graph().node(counter.variable.merge.node).device);
  auto next = add_step(here, loop, counter.variable.body, "AddV2", counter.pushes);
  here.add_next_iteration(loop, counter.next, next.output());
}

Value add_step(
    const Builder& builder, int loop, Output counter, const char* op,
    const std::vector<NodeId>& after) {
  auto& contexts = builder.contexts();
  const auto& graph = builder.graph();
  std::vector<std::string> controls;
  for (auto node : after) controls.push_back(graph.node(node).name);
  auto is_in_branch = [&](NodeId node) { return contexts.of(node) != loop; };
  if (std::ranges::any_of(after, is_in_branch))
    controls = {builder.add_in(loop, "ControlTrigger", {}, {}, controls).node_name()};
  CurrentContext inside(contexts, loop);
  auto one = builder.constant<int32_t>(1);
  return builder.add_in(loop, op, {counter, one.output()}, {}, controls);
}

}  // namespace troupe
