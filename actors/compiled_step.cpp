#include "troupe/actors/compiled_step.hpp"

#include <algorithm>

namespace troupe {
namespace {

std::vector<Candidate> candidates_of(const std::vector<TaskDescription>& tasks) {
  std::vector<Candidate> candidates;
  for (const auto& task : tasks)
    for (const auto& device : task.devices)
      candidates.push_back(
          {.name = {task.job, task.task, device.type, device.index},
           .ops = std::make_shared<const std::set<std::string, std::less<>>>(
               device.ops.begin(), device.ops.end())});
  return candidates;
}

DeviceActor actor_of(const std::vector<TaskDescription>& tasks, const DeviceName& name) {
  for (const auto& task : tasks)
    for (const auto& device : task.devices)
      if (name == DeviceName{task.job, task.task, device.type, device.index})
        return caf::actor_cast<DeviceActor>(device.actor);
  return {};
}

/// Fails unless the feeds of a part fit into one message.
Status check_size(
    const CompiledStep::Part& part, const std::vector<std::pair<std::string, Tensor>>& feeds) {
  size_t bytes = 0;
  for (auto feed : part.feeds) {
    bytes += wire_bytes(feeds[feed].second);
    if (bytes > max_message_bytes)
      return resource_exhausted(
                 "with feed '" + feeds[feed].first + "' the step's feeds have " +
                 std::to_string(bytes) + " bytes, more than the " +
                 std::to_string(max_message_bytes) + " that can be sent to " + part.task)
          .at({.device = part.device, .task = part.task});
  }
  return {};
}

}  // namespace

Status check_feeds(
    const Graph& graph, const CompiledStep& step,
    const std::vector<std::pair<std::string, Tensor>>& feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const auto& [name, value] = feeds[i];
    auto output = step.pruned.feeds[i];
    auto dtype = graph.dtype_of(output);
    const auto& shape = graph.shape_of(output);
    Where where{.node = graph.node(output.node).name, .op = graph.node(output.node).op->name()};
    if (!value.is_set()) return invalid_argument("feed '" + name + "' has no value").at(where);
    if (value.dtype() != dtype)
      return invalid_argument(
                 "feed '" + name + "' must be " + to_string(dtype) + ", not " +
                 to_string(value.dtype()))
          .at(where);
    if (!value.shape().is_compatible_with(shape))
      return invalid_argument(
                 "feed '" + name + "' must have the shape " + shape.to_string() + ", not " +
                 value.shape().to_string())
          .at(where);
  }
  for (const auto& part : step.parts)
    if (part.is_remote)
      if (auto status = check_size(part, feeds); !status.ok()) return status;
  return {};
}

Result<std::vector<std::vector<NodeDef>>> lay_out(
    const Graph& graph, const std::vector<TaskDescription>& tasks, const Placement& placement,
    const DeviceName& master, CompiledStep& step) {
  auto places = placement.devices(candidates_of(tasks));
  if (!places) return places.status();
  std::vector<std::vector<NodeDef>> nodes;
  for (auto& part : partition(graph, step.pruned, *places)) {
    auto device = DeviceName::parse(part.device);
    if (!device) return device.status();
    step.parts.push_back(
        {.actor = actor_of(tasks, *device),
         .device = part.device,
         .task = task_name(*device->job, *device->task),
         .feeds = std::move(part.feeds),
         .fetches = std::move(part.fetches),
         .is_remote = device->job != master.job || device->task != master.task});
    nodes.push_back(std::move(part.nodes));
  }
  return nodes;
}

}  // namespace troupe
