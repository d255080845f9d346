#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/place/op_set.hpp"

namespace troupe {

/// A device that nodes can be placed on, and the ops that it has kernels for.
struct Candidate {
  DeviceName name;
  OpSet ops;
};

/// Candidates by task, in their order.
using TaskCandidates = std::map<std::pair<std::string, int>, std::vector<const Candidate*>>;
TaskCandidates by_task(const std::vector<Candidate>& candidates);

/// The constraint without the type and the index of the device.
DeviceName task_of(const DeviceName& device);

/// The first candidate that satisfies the constraint, which names a task, and has kernels for all
/// the ops; in a soft view, else the first of the task that has. Null where there is none. Kernels
/// on request count where there are several ops: the others ask for the device.
const Candidate* choose_shared_device(
    const std::vector<std::string_view>& ops, const DeviceName& constraint,
    const TaskCandidates& by_task, bool is_soft);

/// The first candidate that satisfies the constraint, which names a task, and has a kernel for the
/// node; if there is none, the first of the task that has a kernel where the view is soft, and else
/// one that has it on request. Unimplemented names those that have a kernel; InvalidArgument lists
/// the candidates where none satisfies the constraint.
Result<DeviceName> choose_device(
    const Node& node, const DeviceName& constraint, const TaskCandidates& by_task,
    const std::vector<Candidate>& candidates, bool is_soft);

}  // namespace troupe
