#include "troupe/actors/registered_plan.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/device_name.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// The numbers that the nodes of one transfer op carry; what uses them trusts them.
Result<std::set<int64_t>> numbers_of(const Graph& graph, const char* op, const char* attr) {
  std::set<int64_t> numbers;
  for (const auto& node : graph.nodes())
    if (node.op->name() == op && !numbers.insert(node.attr<int64_t>(attr)).second)
      return invalid_argument(
                 std::string(attr) + " " + std::to_string(node.attr<int64_t>(attr)) +
                 " is taken by another node")
          .at({.node = node.name, .op = op});
  return numbers;
}

/// How many nodes of the op there are, which must be numbered from 0.
Result<size_t> count_of(const Graph& graph, const char* op) {
  auto numbers = numbers_of(graph, op, "index");
  if (!numbers) return numbers.status();
  auto count = static_cast<int64_t>(numbers->size());
  if (count > 0 && (*numbers->begin() != 0 || *numbers->rbegin() != count - 1))
    return invalid_argument(std::string("the indices of ") + op + " have gaps");
  return numbers->size();
}

/// Handles mean something in their own process only.
Status check_dtype(const Node& node) {
  auto name = node.op->name();
  if (name != transfer::send && name != transfer::retval) return {};
  if (node.attr<DType>("T") != DType::resource) return {};
  return invalid_argument("a handle cannot leave its device").at({.node = node.name, .op = name});
}

/// "/job:ps/task:0" of a full device name; empty where it is none.
std::string task_of(const std::string& device) {
  auto name = DeviceName::parse(device);
  return name && name->is_full() ? task_name(*name->job, *name->task) : std::string();
}

/// A node that uses what that one makes, or waits for its end; null where none does.
const Node* consumer_of(const Graph& graph, NodeId id) {
  for (const auto& node : graph.nodes())
    if (std::ranges::count(node.inputs, id, &Output::node) ||
        std::ranges::count(node.control_inputs, id))
      return &node;
  return nullptr;
}

}  // namespace

Status RegisteredPlan::Destination::check_size(const Tensor& value) const {
  if (!is_remote || wire_bytes(value) <= max_message_bytes) return {};
  return resource_exhausted(
      "'" + output + "' has " + std::to_string(wire_bytes(value)) + " bytes, more than the " +
      std::to_string(max_message_bytes) + " that can be sent to " + device);
}

Wait RegisteredPlan::wait_at(EdgeId edge) const {
  const auto& graph = plan->graph();
  for (const auto& node : graph.nodes()) {
    if (node.op->name() != transfer::recv || node.attr<int64_t>("edge") != edge) continue;
    auto from = node.attr<std::string>("from_device");
    Wait wait{
        .what = "'" + node.attr<std::string>("tensor_name") + "' from " +
                (from == transfer::client ? "the client of the partial run" : from),
        .peer = task_of(from)};
    if (const auto* consumer = consumer_of(graph, node.id)) {
      wait.node = consumer->name;
      wait.op = consumer->op->name();
    }
    return wait;
  }
  return {.what = "edge " + std::to_string(edge)};
}

Status RegisteredPlan::check_feeds(const Tensors& feeds) const {
  if (feeds.size() == feed_count && std::ranges::all_of(feeds, &Tensor::is_set)) return {};
  return invalid_argument("the step does not bring the plan's feeds");
}

Result<std::shared_ptr<RegisteredPlan>> make_registered_plan(
    const std::shared_ptr<const Graph>& graph, Device& device, const Plan::Bindings& bindings,
    const DeviceActors& peers, const caf::node_id& here) {
  auto feeds = count_of(*graph, transfer::arg);
  if (!feeds) return feeds.status();
  auto fetches = count_of(*graph, transfer::retval);
  if (!fetches) return fetches.status();
  for (auto op : {transfer::send, transfer::recv})
    if (auto edges = numbers_of(*graph, op, "edge"); !edges) return edges.status();

  auto registered = std::make_shared<RegisteredPlan>();
  registered->feed_count = *feeds;
  registered->fetch_count = *fetches;
  for (const auto& [node, resource] : bindings) registered->resources.push_back(resource);
  for (const auto& node : graph->nodes()) {
    if (auto status = check_dtype(node); !status.ok()) return status;
    if (node.op->name() == transfer::recv)
      registered->peers.insert(task_of(node.attr<std::string>("from_device")));
    if (node.op->name() != transfer::send) continue;
    auto name = node.attr<std::string>("to_device");
    registered->peers.insert(task_of(name));
    auto peer = peers.find(name);
    if (peer == peers.end())
      return not_found("there is no device " + name).at({.node = node.name, .op = transfer::send});
    registered->destinations[node.attr<int64_t>("edge")] = {
        .actor = peer->second,
        .device = name,
        .task = task_of(name),
        .output = graph->name_of(node.inputs[0]),
        .is_remote = peer->second.node() != here};
  }
  auto plan = Plan::compile(graph, device, bindings);
  if (!plan) return plan.status();
  registered->plan = *std::move(plan);
  return registered;
}

}  // namespace troupe
