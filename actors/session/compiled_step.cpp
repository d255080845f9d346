#include "troupe/actors/session/compiled_step.hpp"

#include <algorithm>
#include <map>

#include "troupe/graph/passes/fed_variables.hpp"

namespace troupe {
namespace {

std::map<std::string, DeviceActor> actors_of(const std::vector<TaskDescription>& tasks) {
  std::map<std::string, DeviceActor> actors;
  for (const auto& task : tasks)
    for (const auto& device : task.devices) {
      DeviceName name{task.job, task.task, device.type, device.index};
      actors.emplace(name.to_string(), caf::actor_cast<DeviceActor>(device.actor));
    }
  return actors;
}

}  // namespace

std::vector<Candidate> candidates_of(const std::vector<TaskDescription>& tasks) {
  std::vector<Candidate> candidates;
  for (const auto& task : tasks)
    for (const auto& device : task.devices)
      candidates.push_back(
          {.name = {task.job, task.task, device.type, device.index}, .ops = device.ops});
  return candidates;
}

Status check_feed(const Graph& graph, const CompiledStep& step, int feed, const Tensor& value) {
  auto output = step.pruned.feeds[feed];
  const auto& [dtype, shape] = feed_type(graph, output);
  auto wrong = [&](const std::string& why) {
    return invalid_argument("feed '" + step.signature.feeds[feed] + "' " + why)
        .at({.node = graph.node(output.node).name, .op = graph.node(output.node).op->name()});
  };
  if (!value.is_set()) return wrong("has no value");
  if (value.dtype() != dtype)
    return wrong(std::string("must be ") + to_string(dtype) + ", not " + to_string(value.dtype()));
  if (!value.shape().is_compatible_with(shape))
    return wrong("must have the shape " + shape.to_string() + ", not " + value.shape().to_string());
  return {};
}

Status check_feeds(const Graph& graph, const CompiledStep& step, const Tensors& feeds) {
  if (feeds.size() != step.pruned.feeds.size())
    return invalid_argument(
        "the step has " + std::to_string(step.pruned.feeds.size()) + " feeds, not " +
        std::to_string(feeds.size()));
  for (size_t i = 0; i < feeds.size(); ++i)
    if (auto status = check_feed(graph, step, static_cast<int>(i), feeds[i]); !status.ok())
      return status;
  return {};
}

Result<std::vector<PlacedPartition>> place_and_partition(
    const Graph& graph, const PrunedStep& pruned, const std::vector<TaskDescription>& tasks,
    const Placement& placement, const OptimizeOptions& optimization,
    const std::function<void(const std::map<NodeId, DeviceName>&)>& on_placed) {
  auto places = placement.devices(candidates_of(tasks));
  if (!places) return places.status();
  if (on_placed) on_placed(*places);
  std::vector<PlacedPartition> partitions;
  auto actors = actors_of(tasks);
  auto optimized = optimize(graph, pruned, *places, optimization);
  auto cuts = optimized ? partition(*optimized->graph, optimized->step, optimized->devices)
                        : partition(graph, pruned, *places);
  if (!cuts) return cuts.status();
  for (auto& cut : *cuts) {
    auto device = DeviceName::parse(cut.device);
    if (!device) return device.status();
    partitions.push_back(
        {.partition =
             {.actor = actors[cut.device],
              .device = cut.device,
              .task = task_name(*device->job, *device->task),
              .feeds = std::move(cut.feeds),
              .fetches = std::move(cut.fetches)},
         .nodes = std::move(cut.nodes)});
  }
  return partitions;
}

}  // namespace troupe
