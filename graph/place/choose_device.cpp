#include "troupe/graph/place/choose_device.hpp"

#include <algorithm>
#include <iterator>

namespace troupe {
namespace {

Where location(const Node& node) { return {.node = node.name, .op = node.op->name()}; }

std::string list(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const auto& candidate : candidates)
    text += (text.empty() ? "" : ", ") + candidate.name.to_string();
  return text;
}

/// The devices of the step's tasks that compute the op, in words; "" where there are none.
std::string list_kernels(const std::string& op, const std::vector<Candidate>& candidates) {
  std::vector<Candidate> found;
  std::ranges::copy_if(candidates, std::back_inserter(found), [&](const auto& candidate) {
    return candidate.ops.contains(op);
  });
  return found.empty() ? "" : "; these have one: " + list(found);
}

}  // namespace

DeviceName task_of(const DeviceName& device) { return {.job = device.job, .task = device.task}; }

TaskCandidates by_task(const std::vector<Candidate>& candidates) {
  TaskCandidates found;
  for (const auto& candidate : candidates)
    found[{*candidate.name.job, *candidate.name.task}].push_back(&candidate);
  return found;
}

const Candidate* choose_shared_device(
    const std::vector<std::string_view>& ops, const DeviceName& constraint,
    const TaskCandidates& by_task, bool is_soft) {
  auto of_task = by_task.find({*constraint.job, *constraint.task});
  if (of_task == by_task.end()) return nullptr;
  auto is_asked_for = ops.size() > 1 || (constraint.type && !is_soft);
  for (const auto* candidate : of_task->second) {
    auto has = [&](std::string_view op) { return candidate->ops.contains(op, is_asked_for); };
    if (candidate->name.satisfies(constraint) && std::ranges::all_of(ops, has)) return candidate;
  }
  if (!is_soft || constraint == task_of(constraint)) return nullptr;
  return choose_shared_device(ops, task_of(constraint), by_task, false);
}

Result<DeviceName> choose_device(
    const Node& node, const DeviceName& constraint, const TaskCandidates& by_task,
    const std::vector<Candidate>& candidates, bool is_soft) {
  bool exists = false;
  const Candidate* on_request = nullptr;
  auto of_task = by_task.find({*constraint.job, *constraint.task});
  if (of_task != by_task.end())
    for (const auto* candidate : of_task->second) {
      if (!candidate->name.satisfies(constraint)) continue;
      exists = true;
      if (candidate->ops.contains(node.op->name())) return candidate->name;
      if (!on_request && candidate->ops.contains(node.op->name(), constraint.type.has_value()))
        on_request = candidate;
    }
  if (is_soft && constraint != task_of(constraint))
    return choose_device(node, task_of(constraint), by_task, candidates, false);
  if (on_request) return on_request->name;
  if (exists)
    return unimplemented(
               "no device that fits '" + constraint.to_string() + "' has a kernel for op " +
               node.op->name() + list_kernels(node.op->name(), candidates))
        .at(location(node));
  return invalid_argument(
             "no device fits '" + constraint.to_string() + "' (the node asks for '" + node.device +
             "'); there are: " + list(candidates))
      .at(location(node));
}

}  // namespace troupe
