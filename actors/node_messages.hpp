#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/node_serialization.hpp"
#include "troupe/actors/resource_messages.hpp"
#include "troupe/actors/runner/runner_messages.hpp"
#include "troupe/actors/session/session_messages.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/place/op_set.hpp"
#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

// The messages between actors of different nodes; those about resources are in
// `resource_messages.hpp`. No field is a float (CAF 0.17's portable encoding of them is broken).

/// Incremented when nodes of the earlier version cannot understand nodes of the new one.
inline constexpr uint32_t protocol_version = 16;

using SessionId = uint64_t;

/// A step of a session. The session numbers its steps in ascending order, from 1.
struct StepId {
  SessionId session = 0;
  uint64_t number = 0;
  auto operator<=>(const StepId&) const = default;
};

/// Identifies a plan within its session; the same on all devices of the plan.
using PlanId = uint64_t;

// To a task actor, from another:

/// Which task speaks, and which one it expects to reach. The first message to a peer, and in each
/// Ping.
struct Hello {
  std::string cluster;  // the name of the sender's cluster
  std::string from_job;
  int32_t from_task = 0;
  uint64_t from_incarnation = 0;
  uint32_t version = 0;
  std::string to_job;
  int32_t to_task = 0;
  uint64_t membership_version = 0;  // the latest that the sender knows
};

struct DeviceDescription {
  std::string type;
  int32_t index = 0;
  uint64_t memory_limit = 0;
  uint64_t memory_in_use = 0;  // when the description was made
  std::string description;
  OpSet ops;
  caf::strong_actor_ptr actor;
};

/// The answer to Hello: the task and its devices.
struct TaskDescription {
  std::string job;
  int32_t task = 0;
  uint64_t incarnation = 0;  // random, drawn at the start of the task
  std::vector<DeviceDescription> devices;
  bool is_draining = false;
  uint64_t membership_version = 0;  // the latest that the task knows
};

/// The tasks that have joined the cluster while it ran, and have not left it since. The directory
/// task numbers the versions and sends each to all tasks, which acknowledge it; a task that gets a
/// Hello or Ping with an earlier version sends its own on.
struct MembershipUpdate {
  uint64_t version = 0;
  ClusterSpec joined;
};

/// Asks to join the cluster as the next task of a job. A task that had joined with the same address
/// and job before gets its index again.
struct Join {
  std::string cluster;  // the name of the cluster that the sender expects
  uint32_t version = 0;
  std::string job;
  std::string address;
};
/// The answer to Join: all that a task needs to start in a running cluster.
struct Joined {
  int32_t task = 0;
  ClusterSpec cluster;  // the configured tasks, without those that have joined
  MembershipUpdate membership;
  std::string directory_job;  // the task of the directory service
  int32_t directory_task = 0;
};

/// Removes a task that has joined from the cluster, and its resources from the directory.
struct Leave {
  std::string job;
  int32_t task = 0;
  bool only_if_lost = false;  // FailedPrecondition where the directory task knows it as alive
};

/// Asks whether a peer is alive; answered by Pong.
struct Ping {
  Hello hello;
};
/// FailedPrecondition: the peer lives, and refuses the sender as it would refuse its Hello.
struct Pong {
  Status refused;
};

// To a device actor, from session actors:

/// A partition of a step, to be compiled into a plan. Answered when the plan can run. Aborted: what
/// it was placed by has changed meanwhile, and the step is to be compiled again.
struct Register {
  SessionId session = 0;
  PlanId plan = 0;
  std::vector<NodeDef> nodes;
  std::string master;                  // the task of the session
  std::vector<FunctionDef> functions;  // those that the nodes refer to, with those that these call
  bool fuses = true;  // the device may fuse nodes (graph/passes/fuse_elementwise.hpp)

  /// With those of the functions.
  size_t node_count() const { return count_nodes(nodes, functions); }
};

/// The answer to Register.
struct Registered {
  /// The plan uses a resource that did not exist, and does not bring it into being. When it exists,
  /// the plan does not know it, so the plan is for the present runs only.
  bool is_transient = false;
};

/// Runs a plan for one step. Answered by StepDone.
struct StartStep {
  StepId step;
  PlanId plan = 0;
  uint32_t partition = 0;  // the number of the step's partition; StepDone repeats it
  Tensors feeds;
  bool trace = false;  // if one of the two is set, StepTraced is sent before StepDone
  bool send_graph = false;
  uint64_t oldest_step = 0;  // of the session: all steps with lower numbers have ended everywhere
};

/// The step has succeeded: what its partition is held for (StepDone) is taken for good.
struct CommitStep {
  StepId step;
};

/// Cancels a step on the device; may pass its StartStep. StepDone still follows, if it has not been
/// sent; what a partition that has ended is held for is put back, unless it may be the cause.
struct CancelStep {
  StepId step;
  Status why;
};

/// Asks what a step waits for on the device; answered by StepWaits.
struct ListStepWaits {
  StepId step;
};

/// Drops a plan of the session.
struct DropPlan {
  SessionId session = 0;
  PlanId plan = 0;
};
/// Cancels the session's steps on the device and drops all its plans.
struct EndSession {
  SessionId session = 0;
};

// To a device actor, from device actors. In a partial step also from the session actor, with feeds,
// and to it, with fetches:

/// Tensors of edges of a step, pushed as soon as they are computed.
struct Deliver {
  StepId step;
  std::vector<EdgeKey> edges;  // one for each tensor, which is unset where the value is dead
  Tensors tensors;
  /// The receiver has memory of its own and takes tensors that are still arriving
  /// (accelerator::FillingMemory). For the link, which does not send it.
  bool may_arrive_in_part = false;
};

/// The step has ended early at the sender of its tensors: those that are on their way to this
/// receiver need not arrive. A link acts on it instead of sending it.
struct DiscardStep {
  StepId step;
};

// To a session actor, from device actors:

/// A partition of a step has ended on its device: with its fetches, or with an error.
struct StepDone {
  StepId step;
  uint32_t partition = 0;
  Status status;
  Tensors fetches;
  bool plan_is_stale = false;  // the device has no such plan, or its resources are gone
  // What the partition has taken out of queues, readers and iterators is put back unless CommitStep
  // follows.
  bool is_held = false;
};

/// The trace or the graph of a partition, if StartStep asked for it.
struct StepTraced {
  StepId step;
  uint32_t partition = 0;
  DeviceRun run;
};

/// The answer to ListStepWaits: what the nodes of the step's partition wait for.
struct StepWaits {
  std::vector<Wait> waits;
};

template <class Inspector>
auto inspect(Inspector& f, StepId& x) {
  return f(caf::meta::type_name("StepId"), x.session, x.number);
}
template <class Inspector>
auto inspect(Inspector& f, Hello& x) {
  return f(
      caf::meta::type_name("Hello"), x.cluster, x.from_job, x.from_task, x.from_incarnation,
      x.version, x.to_job, x.to_task, x.membership_version);
}
template <class Inspector>
auto inspect(Inspector& f, DeviceDescription& x) {
  HandleField actor{x.actor};
  return f(
      caf::meta::type_name("DeviceDescription"), x.type, x.index, x.memory_limit, x.memory_in_use,
      x.description, x.ops, actor);
}
template <class Inspector>
auto inspect(Inspector& f, TaskDescription& x) {
  return f(
      caf::meta::type_name("TaskDescription"), x.job, x.task, x.incarnation, x.devices,
      x.is_draining, x.membership_version);
}
template <class Inspector>
auto inspect(Inspector& f, MembershipUpdate& x) {
  return f(caf::meta::type_name("MembershipUpdate"), x.version, x.joined);
}
template <class Inspector>
auto inspect(Inspector& f, Join& x) {
  return f(caf::meta::type_name("Join"), x.cluster, x.version, x.job, x.address);
}
template <class Inspector>
auto inspect(Inspector& f, Joined& x) {
  return f(
      caf::meta::type_name("Joined"), x.task, x.cluster, x.membership, x.directory_job,
      x.directory_task);
}
template <class Inspector>
auto inspect(Inspector& f, Leave& x) {
  return f(caf::meta::type_name("Leave"), x.job, x.task, x.only_if_lost);
}
template <class Inspector>
auto inspect(Inspector& f, Ping& x) {
  return f(caf::meta::type_name("Ping"), x.hello);
}
template <class Inspector>
auto inspect(Inspector& f, Pong& x) {
  return f(caf::meta::type_name("Pong"), x.refused);
}
template <class Inspector>
auto inspect(Inspector& f, Register& x) {
  return f(
      caf::meta::type_name("Register"), x.session, x.plan, x.nodes, x.master, x.functions, x.fuses);
}
template <class Inspector>
auto inspect(Inspector& f, Registered& x) {
  return f(caf::meta::type_name("Registered"), x.is_transient);
}
template <class Inspector>
auto inspect(Inspector& f, StartStep& x) {
  return f(
      caf::meta::type_name("StartStep"), x.step, x.plan, x.partition, x.feeds, x.trace,
      x.send_graph, x.oldest_step);
}
template <class Inspector>
auto inspect(Inspector& f, CommitStep& x) {
  return f(caf::meta::type_name("CommitStep"), x.step);
}
template <class Inspector>
auto inspect(Inspector& f, CancelStep& x) {
  return f(caf::meta::type_name("CancelStep"), x.step, x.why);
}
template <class Inspector>
auto inspect(Inspector& f, ListStepWaits& x) {
  return f(caf::meta::type_name("ListStepWaits"), x.step);
}
template <class Inspector>
auto inspect(Inspector& f, StepWaits& x) {
  return f(caf::meta::type_name("StepWaits"), x.waits);
}
template <class Inspector>
auto inspect(Inspector& f, DropPlan& x) {
  return f(caf::meta::type_name("DropPlan"), x.session, x.plan);
}
template <class Inspector>
auto inspect(Inspector& f, EndSession& x) {
  return f(caf::meta::type_name("EndSession"), x.session);
}
template <class Inspector>
auto inspect(Inspector& f, EdgeKey& x) {
  return f(caf::meta::type_name("EdgeKey"), x.edge, x.at.frame, x.at.iteration);
}
template <class Inspector>
auto inspect(Inspector& f, Deliver& x) {
  return f(caf::meta::type_name("Deliver"), x.step, x.edges, x.tensors);
}
template <class Inspector>
auto inspect(Inspector& f, DiscardStep& x) {
  return f(caf::meta::type_name("DiscardStep"), x.step);
}
template <class Inspector>
auto inspect(Inspector& f, StepTraced& x) {
  return f(caf::meta::type_name("StepTraced"), x.step, x.partition, x.run);
}
template <class Inspector>
auto inspect(Inspector& f, StepDone& x) {
  return f(
      caf::meta::type_name("StepDone"), x.step, x.partition, x.status, x.fetches, x.plan_is_stale,
      x.is_held);
}

}  // namespace troupe

// Every message type between nodes has one line here. CAF 0.17 sends the names of the types, so a
// renamed type needs a new protocol_version.
CAF_BEGIN_TYPE_ID_BLOCK(troupe, first_custom_type_id)

  CAF_ADD_TYPE_ID(troupe, (troupe::Status))
  CAF_ADD_TYPE_ID(troupe, (troupe::Hello))
  CAF_ADD_TYPE_ID(troupe, (troupe::TaskDescription))
  CAF_ADD_TYPE_ID(troupe, (troupe::MembershipUpdate))
  CAF_ADD_TYPE_ID(troupe, (troupe::Join))
  CAF_ADD_TYPE_ID(troupe, (troupe::Joined))
  CAF_ADD_TYPE_ID(troupe, (troupe::Leave))
  CAF_ADD_TYPE_ID(troupe, (troupe::Ping))
  CAF_ADD_TYPE_ID(troupe, (troupe::Pong))
  CAF_ADD_TYPE_ID(troupe, (troupe::ResetContainers))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListTaskResources))
  CAF_ADD_TYPE_ID(troupe, (troupe::TaskResources))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListTaskRunners))
  CAF_ADD_TYPE_ID(troupe, (troupe::TaskRunners))
  CAF_ADD_TYPE_ID(troupe, (troupe::ControlTaskRunner))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListTaskSessions))
  CAF_ADD_TYPE_ID(troupe, (troupe::TaskSessions))
  CAF_ADD_TYPE_ID(troupe, (troupe::FindResources))
  CAF_ADD_TYPE_ID(troupe, (troupe::PlaceResources))
  CAF_ADD_TYPE_ID(troupe, (troupe::ResourcePlaces))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListHeldResources))
  CAF_ADD_TYPE_ID(troupe, (troupe::HeldResources))
  CAF_ADD_TYPE_ID(troupe, (troupe::Reconcile))
  CAF_ADD_TYPE_ID(troupe, (troupe::Register))
  CAF_ADD_TYPE_ID(troupe, (troupe::Registered))
  CAF_ADD_TYPE_ID(troupe, (troupe::StartStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::CommitStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::CancelStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListStepWaits))
  CAF_ADD_TYPE_ID(troupe, (troupe::StepWaits))
  CAF_ADD_TYPE_ID(troupe, (troupe::DropPlan))
  CAF_ADD_TYPE_ID(troupe, (troupe::EndSession))
  CAF_ADD_TYPE_ID(troupe, (troupe::Deliver))
  CAF_ADD_TYPE_ID(troupe, (troupe::DiscardStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::StepDone))
  CAF_ADD_TYPE_ID(troupe, (troupe::StepTraced))

CAF_END_TYPE_ID_BLOCK(troupe)
