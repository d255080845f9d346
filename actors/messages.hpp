#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/wire.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/resource.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

// What actors of different nodes say to each other. No field is a float (CAF 0.17's portable
// encoding of them is broken); no message is larger than max_message_bytes.

/// Bumped when nodes of before cannot understand nodes of after.
inline constexpr uint32_t protocol_version = 4;

using SessionId = uint64_t;

/// A step of a session; numbers of one session only grow.
struct StepId {
  SessionId session = 0;
  uint64_t number = 0;
  auto operator<=>(const StepId&) const = default;
};

/// Names a plan within its session, the same on all its devices.
using PlanId = uint64_t;

// To a task actor, from another:

/// The first word to a peer: who speaks, and whom it takes the other for.
struct Hello {
  std::string cluster;  // the name that the speaker gives to its cluster
  std::string from_job;
  int32_t from_task = 0;
  uint64_t from_incarnation = 0;
  uint32_t version = 0;
  std::string to_job;
  int32_t to_task = 0;
  uint64_t change = 0;  // the latest of the cluster that the speaker knows
};

struct DeviceDescription {
  std::string type;
  int32_t index = 0;
  uint64_t memory_limit = 0;
  uint64_t memory_in_use = 0;  // when it was asked
  std::string description;
  std::vector<std::string> ops;  // that it has kernels for
  caf::strong_actor_ptr actor;
};

/// What a task answers to Hello: who it is and what it has.
struct TaskDescription {
  std::string job;
  int32_t task = 0;
  uint64_t incarnation = 0;  // drawn at start: another number is another life
  std::vector<DeviceDescription> devices;
  bool is_draining = false;
  uint64_t change = 0;  // the latest of the cluster that it knows
};

/// The tasks that have joined the cluster while it ran, and have not left it since. The keeper of
/// the directory counts the changes, and tells them all, who answer; who hears from somebody that
/// knows fewer passes them on.
struct ClusterNews {
  uint64_t change = 0;
  ClusterSpec joined;
};

/// Asks for a place in the cluster, as the next task of a job; one that was at that address before
/// gets its place again.
struct Join {
  std::string cluster;  // the name that the asker gives to the cluster
  uint32_t version = 0;
  std::string job;
  std::string address;
};
/// All that a task needs to know to begin in a cluster that runs.
struct Joined {
  int32_t task = 0;
  ClusterSpec cluster;  // without those that have joined
  ClusterNews news;
  std::string keeper_job;  // who keeps the directory
  int32_t keeper_task = 0;
};

/// Gives up the place of a task that has joined, and all that it held.
struct Leave {
  std::string job;
  int32_t task = 0;
};

/// Asks a peer whether it lives; it answers with Pong. `from` is the name of the task that asks.
struct Ping {
  std::string from;
  uint64_t from_incarnation = 0;
  uint64_t change = 0;  // the latest of the cluster that it knows
};
struct Pong {};

/// Some containers, or all that there are.
struct ContainerChoice {
  std::vector<std::string> names;
  bool all = false;

  bool contains(const std::string& container) const {
    return all || std::ranges::count(names, container) > 0;
  }
};

/// Frees those containers on the task, and closes its sessions that hold something of them.
struct ResetContainers {
  ContainerChoice containers;
};

/// Asks a task for what its containers hold.
struct ListThings {};
struct Things {
  std::vector<ListedResource> things;
};

/// Asks the keeper of the directory where things live. One that lives nowhere yet lives from now on
/// where `devices` says. The answer has a device for each name.
struct Claim {
  std::vector<ResourceName> names;
  std::vector<std::string> devices;  // one for each name
  bool is_pinned = false;  // by the graph: who may hold such a thing elsewhere is not asked first
};
struct Homes {
  std::vector<std::string> devices;
};

/// Asks a task, from the keeper, for all things that it holds.
struct ListHeld {};
struct Held {
  std::vector<ResourceName> names;
  std::vector<std::string> devices;
};

/// Asks the keeper to forget, of those containers, what nobody holds any more. Answered when it has
/// asked those who are said to hold it.
struct Reconcile {
  ContainerChoice containers;
};

// To a device actor, from session actors:

/// A partition to be compiled into a plan. Answered when the plan can run.
struct Register {
  SessionId session = 0;
  PlanId plan = 0;
  std::vector<NodeDef> nodes;
  std::string master;  // the task of the session
};

/// Runs a plan for one step. Answered by StepDone.
struct StartStep {
  StepId step;
  PlanId plan = 0;
  uint32_t part = 0;  // which of the step's parts this is; StepDone says it again
  Tensors feeds;
  bool trace = false;  // with either, StepTraced comes before StepDone
  bool send_graph = false;
};

/// Ends a step early. StepDone still follows.
struct CancelStep {
  StepId step;
  Status why;
};

/// Asks what a step waits for on the device; answered by StepWaits.
struct ExplainStep {
  StepId step;
};

/// Drops one plan, or all that the session has there.
struct DropPlan {
  SessionId session = 0;
  PlanId plan = 0;
};
struct EndSession {
  SessionId session = 0;
};

// To a device actor, from device actors; of a partial step also from its session actor, with feeds,
// and to it, with fetches:

/// Tensors along edges of a step, pushed as soon as they are there.
struct Deliver {
  StepId step;
  std::vector<EdgeId> edges;
  Tensors tensors;
};

// To a session actor, from device actors:

/// A device's part of a step has ended: with the fetches of its partition, or with an error.
struct StepDone {
  StepId step;
  uint32_t part = 0;
  Status status;
  Tensors fetches;
};

/// How a device's part of a step went, where its start asked for that.
struct StepTraced {
  StepId step;
  uint32_t part = 0;
  DeviceRun run;
};

/// What the nodes of a step wait for on one device.
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
      x.version, x.to_job, x.to_task, x.change);
}
template <class Inspector>
auto inspect(Inspector& f, DeviceDescription& x) {
  return f(
      caf::meta::type_name("DeviceDescription"), x.type, x.index, x.memory_limit, x.memory_in_use,
      x.description, x.ops, x.actor);
}
template <class Inspector>
auto inspect(Inspector& f, TaskDescription& x) {
  return f(
      caf::meta::type_name("TaskDescription"), x.job, x.task, x.incarnation, x.devices,
      x.is_draining, x.change);
}
template <class Inspector>
auto inspect(Inspector& f, ClusterNews& x) {
  return f(caf::meta::type_name("ClusterNews"), x.change, x.joined);
}
template <class Inspector>
auto inspect(Inspector& f, Join& x) {
  return f(caf::meta::type_name("Join"), x.cluster, x.version, x.job, x.address);
}
template <class Inspector>
auto inspect(Inspector& f, Joined& x) {
  return f(caf::meta::type_name("Joined"), x.task, x.cluster, x.news, x.keeper_job, x.keeper_task);
}
template <class Inspector>
auto inspect(Inspector& f, Leave& x) {
  return f(caf::meta::type_name("Leave"), x.job, x.task);
}
template <class Inspector>
auto inspect(Inspector& f, Ping& x) {
  return f(caf::meta::type_name("Ping"), x.from, x.from_incarnation, x.change);
}
template <class Inspector>
auto inspect(Inspector& f, Pong&) {
  return f(caf::meta::type_name("Pong"));
}
template <class Inspector>
auto inspect(Inspector& f, ContainerChoice& x) {
  return f(caf::meta::type_name("ContainerChoice"), x.names, x.all);
}
template <class Inspector>
auto inspect(Inspector& f, ListThings&) {
  return f(caf::meta::type_name("ListThings"));
}
template <class Inspector>
auto inspect(Inspector& f, Things& x) {
  return f(caf::meta::type_name("Things"), x.things);
}
template <class Inspector>
auto inspect(Inspector& f, ResetContainers& x) {
  return f(caf::meta::type_name("ResetContainers"), x.containers);
}
template <class Inspector>
auto inspect(Inspector& f, Claim& x) {
  return f(caf::meta::type_name("Claim"), x.names, x.devices, x.is_pinned);
}
template <class Inspector>
auto inspect(Inspector& f, Homes& x) {
  return f(caf::meta::type_name("Homes"), x.devices);
}
template <class Inspector>
auto inspect(Inspector& f, ListHeld&) {
  return f(caf::meta::type_name("ListHeld"));
}
template <class Inspector>
auto inspect(Inspector& f, Held& x) {
  return f(caf::meta::type_name("Held"), x.names, x.devices);
}
template <class Inspector>
auto inspect(Inspector& f, Reconcile& x) {
  return f(caf::meta::type_name("Reconcile"), x.containers);
}
template <class Inspector>
auto inspect(Inspector& f, Register& x) {
  return f(caf::meta::type_name("Register"), x.session, x.plan, x.nodes, x.master);
}
template <class Inspector>
auto inspect(Inspector& f, StartStep& x) {
  return f(
      caf::meta::type_name("StartStep"), x.step, x.plan, x.part, x.feeds, x.trace, x.send_graph);
}
template <class Inspector>
auto inspect(Inspector& f, CancelStep& x) {
  return f(caf::meta::type_name("CancelStep"), x.step, x.why);
}
template <class Inspector>
auto inspect(Inspector& f, ExplainStep& x) {
  return f(caf::meta::type_name("ExplainStep"), x.step);
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
auto inspect(Inspector& f, Deliver& x) {
  return f(caf::meta::type_name("Deliver"), x.step, x.edges, x.tensors);
}
template <class Inspector>
auto inspect(Inspector& f, StepTraced& x) {
  return f(caf::meta::type_name("StepTraced"), x.step, x.part, x.run);
}
template <class Inspector>
auto inspect(Inspector& f, StepDone& x) {
  return f(caf::meta::type_name("StepDone"), x.step, x.part, x.status, x.fetches);
}

}  // namespace troupe

// Every type that crosses between nodes has one line here. CAF 0.17 sends the names: keep them.
CAF_BEGIN_TYPE_ID_BLOCK(troupe, first_custom_type_id)

  CAF_ADD_TYPE_ID(troupe, (troupe::Status))
  CAF_ADD_TYPE_ID(troupe, (troupe::Hello))
  CAF_ADD_TYPE_ID(troupe, (troupe::TaskDescription))
  CAF_ADD_TYPE_ID(troupe, (troupe::ClusterNews))
  CAF_ADD_TYPE_ID(troupe, (troupe::Join))
  CAF_ADD_TYPE_ID(troupe, (troupe::Joined))
  CAF_ADD_TYPE_ID(troupe, (troupe::Leave))
  CAF_ADD_TYPE_ID(troupe, (troupe::Ping))
  CAF_ADD_TYPE_ID(troupe, (troupe::Pong))
  CAF_ADD_TYPE_ID(troupe, (troupe::ResetContainers))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListThings))
  CAF_ADD_TYPE_ID(troupe, (troupe::Things))
  CAF_ADD_TYPE_ID(troupe, (troupe::Claim))
  CAF_ADD_TYPE_ID(troupe, (troupe::Homes))
  CAF_ADD_TYPE_ID(troupe, (troupe::ListHeld))
  CAF_ADD_TYPE_ID(troupe, (troupe::Held))
  CAF_ADD_TYPE_ID(troupe, (troupe::Reconcile))
  CAF_ADD_TYPE_ID(troupe, (troupe::Register))
  CAF_ADD_TYPE_ID(troupe, (troupe::StartStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::CancelStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::ExplainStep))
  CAF_ADD_TYPE_ID(troupe, (troupe::StepWaits))
  CAF_ADD_TYPE_ID(troupe, (troupe::DropPlan))
  CAF_ADD_TYPE_ID(troupe, (troupe::EndSession))
  CAF_ADD_TYPE_ID(troupe, (troupe::Deliver))
  CAF_ADD_TYPE_ID(troupe, (troupe::StepDone))
  CAF_ADD_TYPE_ID(troupe, (troupe::StepTraced))

CAF_END_TYPE_ID_BLOCK(troupe)
