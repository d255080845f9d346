#include "troupe/tests/soak/flow.hpp"

#include <algorithm>

namespace troupe::soak {
namespace {

/// Of variables: those of a message, of one that is announced, and of memory that is lent.
constexpr uint64_t variable_sizes[] = {1 << 10, 900 << 10, 24 << 20};

Builder on(const FlowGraph& graph, int task) { return graph.b.on(name_of_task(task)); }

/// `elements`, or what the flow's count is fed with, where that is 0.
Value filled(const FlowGraph& graph, Flow& flow, int from, DType dtype) {
  auto b = on(graph, from);
  flow.element = b.placeholder(DType::int32, {});
  auto element = dtype == DType::int32 ? flow.element : b.cast(flow.element, dtype);
  if (flow.elements) return b.fill(b.ints({static_cast<int32_t>(flow.elements)}), element);
  flow.count = b.placeholder(DType::int32, {});
  return b.fill(b.reshape(flow.count, b.ints({1})), element);
}

void find(const FlowGraph& graph, Flow& flow, const Value& x, int at) {
  auto b = on(graph, at);
  for (auto extreme : {"Min", "Max"})
    flow.found.emplace_back(b.cast(b.op(extreme, {x, b.ints({0})}), DType::int32));
  flow.found.emplace_back(b.op("Size", {x}));
}

Flow sent(const FlowGraph& graph, int from, int to) {
  Flow flow{.name = "from task " + std::to_string(from) + " to " + std::to_string(to)};
  find(graph, flow, filled(graph, flow, from, DType::uint8), to);
  return flow;
}

/// What a task has from another one's memory it sends on.
Flow forwarded(const FlowGraph& graph, int from, int by, int to) {
  Flow flow{
      .name = "from task " + std::to_string(from) + " by " + std::to_string(by) + " to " +
              std::to_string(to),
      .hops = 2};
  find(graph, flow, on(graph, by).identity(filled(graph, flow, from, DType::uint8)), to);
  return flow;
}

/// A range, of which the same range is subtracted: pieces at wrong places show.
Flow ordered(const FlowGraph& graph, int from, int to) {
  Flow flow{
      .name = "a range from task " + std::to_string(from) + " to " + std::to_string(to),
      .element_bytes = 4};
  auto there = on(graph, from), here = on(graph, to);
  flow.element = there.placeholder(DType::int32, {});
  flow.count = here.placeholder(DType::int32, {});
  auto range = there.op(
      "Range", {flow.element, there.add(flow.element, flow.count), there.constant<int32_t>(1)});
  auto same = here.op("Range", {here.constant<int32_t>(0), flow.count, here.constant<int32_t>(1)});
  find(graph, flow, here.sub(range, same), to);
  return flow;
}

Flow of_variable(const std::string& what, const Variable& variable, int task) {
  return {
      .name = what + " task " + std::to_string(task),
      .element_bytes = 4,
      .elements = variable.shape.elements()};
}

void add_flows_of_variable(FlowGraph& graph, const Variable& variable, int other) {
  auto read = of_variable("the value of " + variable.name + " to", variable, other);
  find(graph, read, variable.value(), other);
  graph.flows.push_back(std::move(read));
  auto assigned = of_variable("a value for " + variable.name + " from", variable, other);
  assigned.targets = {variable.assign(filled(graph, assigned, other, DType::int32))};
  graph.flows.push_back(std::move(assigned));
  auto added = of_variable("an addend for " + variable.name + " from", variable, other);
  added.targets = {variable.assign_add(filled(graph, added, other, DType::int32))};
  graph.flows.push_back(std::move(added));
}

}  // namespace

std::string name_of_task(int index) { return "/job:worker/task:" + std::to_string(index); }

FlowGraph::FlowGraph(int tasks, uint64_t bytes_max) {
  for (int from = 0; from < tasks; ++from) {
    std::vector<Variable> variables;
    for (auto bytes : variable_sizes) {
      auto elements = static_cast<int32_t>(std::max<uint64_t>(std::min(bytes, bytes_max) / 4, 1));
      auto there = on(*this, from);
      variables.push_back(there.variable(
          "v" + std::to_string(from) + "_" + std::to_string(variables.size()),
          there.fill(there.ints({elements}), there.constant<int32_t>(0))));
    }
    for (int to = 0; to < tasks; ++to) {
      if (to == from) continue;
      flows.push_back(sent(*this, from, to));
      flows.push_back(ordered(*this, from, to));
      for (int end = 0; end < tasks; ++end)
        if (end != to) flows.push_back(forwarded(*this, from, to, end));
      for (const auto& variable : variables) add_flows_of_variable(*this, variable, to);
    }
  }
  initialize = b.initializer();
}

}  // namespace troupe::soak
