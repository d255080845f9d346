#include "troupe/actors/device/device_plan.hpp"

#include <algorithm>
#include <set>

#include "troupe/actors/link/link.hpp"
#include "troupe/devices/transfer.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// The values of an attribute in the nodes of one transfer op, which must differ.
Result<std::set<int64_t>> numbers_of(const Graph& graph, const char* op, const char* attr) {
  std::set<int64_t> numbers;
  for (const auto& node : graph.nodes())
    if (node.op->name() == op && !numbers.insert(node.attr<int64_t>(attr)).second)
      return invalid_argument(
                 std::string(attr) + " " + std::to_string(node.attr<int64_t>(attr)) +
                 " is used by another node")
          .at({.node = node.name, .op = op});
  return numbers;
}

/// The number of nodes of the op, whose indices must count from 0.
Result<size_t> count_of(const Graph& graph, const char* op) {
  auto numbers = numbers_of(graph, op, "index");
  if (!numbers) return numbers.status();
  auto count = static_cast<int64_t>(numbers->size());
  if (count > 0 && (*numbers->begin() != 0 || *numbers->rbegin() != count - 1))
    return invalid_argument(std::string("the indices of ") + op + " have gaps");
  return numbers->size();
}

/// Checks that no resource handle is sent: it is valid in its own process only. So is a variant,
/// which other devices of the process may have.
Status check_dtype(const Node& node) {
  auto name = node.op->name();
  if (name != transfer::send && name != transfer::retval) return {};
  auto dtype = node.attr<DType>("T");
  if (dtype == DType::variant && name == transfer::retval)
    return invalid_argument("a variant cannot leave its process")
        .at({.node = node.name, .op = name});
  if (dtype != DType::resource) return {};
  return invalid_argument("a handle cannot leave its device").at({.node = node.name, .op = name});
}

/// The task of a full device name, "/job:ps/task:0"; empty if the name is not full.
std::string task_name_of(const std::string& device) {
  auto name = DeviceName::parse(device);
  return name && name->is_full() ? task_name(*name->job, *name->task) : std::string();
}

/// Name and op of a node with an input or control input from that node; empty if there is none. Of
/// a fused node, the part that takes the input.
Where consumer_of(const Graph& graph, NodeId id) {
  for (const auto& node : graph.nodes()) {
    auto input = std::ranges::find(node.inputs, id, &Output::node) - node.inputs.begin();
    auto is_input = input < std::ssize(node.inputs);
    if (!is_input && !std::ranges::count(node.control_inputs, id)) continue;
    if (!fusion::is_fused(node.op->name())) return {.node = node.name, .op = node.op->name()};
    auto parts = fusion::parts_of(node.attrs);
    auto takes = [&](const auto& part) { return std::ranges::count(part.operands, input) > 0; };
    auto part = is_input ? std::ranges::find_if(parts, takes) : parts.end() - 1;
    if (part != parts.end()) return {.node = part->name, .op = part->op};
  }
  return {};
}

/// The resource whose handle or reference is the node's first input, as the graph passes it on.
std::shared_ptr<Resource> resource_used_by(
    const Node& node, const Graph& graph, const Plan::Bindings& handles) {
  const auto* source = &node;
  do {
    if (source->inputs.empty()) return nullptr;
    source = &graph.node(source->inputs[0].node);
  } while (loops::passes_on(source->op->name()) || source->op->name() == "FakeQueue");
  auto found = handles.find(source->id);
  return found == handles.end() ? nullptr : found->second;
}

}  // namespace

Wait DevicePlan::describe(const WaitingNode& waiting) const {
  const auto& graph = plan->graph();
  const auto& node = graph.node(waiting.node);
  Wait wait{.what = waiting.what, .peer = task_name_of(waiting.from)};
  if (!waiting.from.empty())
    wait.what += " from " + (waiting.from == transfer::client ? "the client of the partial run"
                                                              : waiting.from);
  if (auto resource = resource_used_by(node, graph, handles))
    if (auto state = resource->state(); !state.empty()) wait.what += ": " + state;
  // A _Recv is none of the user's nodes.
  auto where = node.op->name() == transfer::recv ? consumer_of(graph, node.id)
                                                 : Where{.node = node.name, .op = node.op->name()};
  wait.node = where.node;
  wait.op = where.op;
  return wait;
}

bool DevicePlan::lends(const EdgeKey& key, const Tensor& value) const {
  const auto& receiver = destinations.at(key.edge).actor;
  return Link::lends_to(caf::actor_cast<caf::strong_actor_ptr>(receiver), value);
}

Status DevicePlan::check_feeds(const Tensors& feeds) const {
  if (feeds.size() == feed_count && std::ranges::all_of(feeds, &Tensor::is_set)) return {};
  return invalid_argument("the step was started without all feeds of its plan");
}

Result<std::shared_ptr<DevicePlan>> make_device_plan(
    const std::shared_ptr<const Graph>& graph, Device& device, const Plan::Bindings& bindings,
    const DeviceActors& peers, SessionKernels& kernels) {
  auto feeds = count_of(*graph, transfer::arg);
  if (!feeds) return feeds.status();
  auto fetches = count_of(*graph, transfer::retval);
  if (!fetches) return fetches.status();
  for (auto op : {transfer::send, transfer::recv})
    if (auto edges = numbers_of(*graph, op, "edge"); !edges) return edges.status();

  auto device_plan = std::make_shared<DevicePlan>();
  device_plan->feed_count = *feeds;
  device_plan->fetch_count = *fetches;
  for (const auto& [node, resource] : bindings) device_plan->resources.push_back(resource);
  device_plan->handles = bindings;
  for (const auto& node : graph->nodes()) {
    if (auto status = check_dtype(node); !status.ok()) return status;
    if (node.op->name() == transfer::recv)
      device_plan->peers.insert(task_name_of(node.attr<std::string>("from_device")));
    if (node.op->name() != transfer::send) continue;
    auto name = node.attr<std::string>("to_device");
    device_plan->peers.insert(task_name_of(name));
    auto peer = peers.find(name);
    if (peer == peers.end() || !peer->second)
      return not_found("there is no device " + name).at({.node = node.name, .op = transfer::send});
    device_plan->destinations[node.attr<int64_t>("edge")] = {
        .actor = peer->second, .task = task_name_of(name), .has_own_memory = has_own_memory(name)};
  }
  std::set<caf::actor_addr> receivers;
  for (const auto& [edge, destination] : device_plan->destinations)
    if (receivers.insert(destination.actor.address()).second)
      device_plan->receivers.push_back(destination.actor);
  auto plan = Plan::compile(graph, device, bindings, &kernels);
  if (!plan) return plan.status();
  device_plan->plan = *std::move(plan);
  return device_plan;
}

}  // namespace troupe
