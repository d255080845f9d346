#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/container_actor.hpp"
#include "troupe/actors/gauges.hpp"
#include "troupe/actors/inventory.hpp"
#include "troupe/actors/messages.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/graph/task_config.hpp"

namespace troupe {

/// Asks for a task of the cluster by name: its devices and their actors. The directory of names.
struct FindTask {
  std::string job;
  int task = 0;
  std::chrono::milliseconds timeout;
};

/// All that is on that task is out of reach. Said by the task, to its sessions and its devices;
/// they watch nobody themselves.
struct PeerLost {
  std::string task;
  std::string why;  // "it has not answered for 2000 ms"
};

/// A session of any master has nothing on a device here any more: what it had for itself alone
/// goes.
struct SessionEnded {
  uint64_t session = 0;
};

/// Has a session refuse new runs. It lets go of `last` when those that are open have ended.
struct DrainRuns {
  std::shared_ptr<void> last;
};

/// Ends all open runs of a session.
struct CancelRuns {
  Status why;
};
/// Said by a session to its task, before anybody hears that it is closed: its place is free.
struct SessionClosed {};

/// Gives up the task's place in the cluster, where it has joined; else there is nothing to do. What
/// it holds is lost then.
struct LeaveCluster {
  DoneStatus done;
};

/// Ends the task: its sessions are closed, then all its actors end.
struct Stop {
  DoneStatus done;
};

/// The root of one node: its devices, its shards of containers, its sessions, and the way to the
/// other tasks of the cluster (peers.hpp), to which it connects when somebody first asks for them.
using TaskActor = MasterActor::extend<
    // From other nodes: fails with FailedPrecondition where the caller takes it for somebody else.
    caf::replies_to<Hello>::with<Status, TaskDescription>,
    caf::replies_to<ResetContainers>::with<Status>, caf::replies_to<ListThings>::with<Things>,
    caf::reacts_to<Ping>, caf::reacts_to<Pong>,
    // From other nodes, and from sessions here (directory.hpp).
    caf::replies_to<Claim>::with<Status, Homes>, caf::replies_to<ListHeld>::with<Held>,
    caf::replies_to<Reconcile>::with<Status>,
    // From other nodes (membership.hpp).
    caf::replies_to<Join>::with<Status, Joined>, caf::replies_to<Leave>::with<Status>,
    caf::replies_to<ClusterNews>::with<Status>,
    // In this process. Unavailable names the task that cannot be reached and says why.
    caf::replies_to<FindTask>::with<Status, TaskDescription>,
    caf::replies_to<Bind>::with<Status, Bindings>, caf::reacts_to<SessionEnded>,
    caf::reacts_to<SessionClosed>, caf::reacts_to<LeaveCluster>, caf::reacts_to<Stop>>;

struct TaskSettings {
  TaskConfig config;
  /// Set where the task joins a cluster that runs; the cluster of `config` is then what it says.
  std::optional<Joined> joined = {};
  /// Tasks talk only to those that give their cluster the same name.
  std::string cluster_name;
  std::vector<std::shared_ptr<Device>> devices;
  std::shared_ptr<const OpCatalog> catalog;
  std::shared_ptr<World> world;
  /// How long a peer that does not answer is tried again.
  std::chrono::milliseconds connect_timeout{10000};
  /// A peer that has not answered for so long is lost; 0: silence is never taken for that.
  std::chrono::milliseconds heartbeat_limit{2000};
  std::shared_ptr<Gauges> gauges = std::make_shared<Gauges>();
  std::shared_ptr<Inventory> inventory = std::make_shared<Inventory>();
  /// The sessions that it takes as master; 0: any number.
  size_t sessions_max = 0;
  /// A session that nobody has called for so long is closed; 0: never.
  std::chrono::milliseconds session_idle_limit{0};
  /// Takes a line for the node's log, from any thread; may be empty.
  std::function<void(const std::string&)> log = {};
};

/// A task and the number that tells this life of it from others.
struct SpawnedTask {
  TaskActor actor;
  uint64_t incarnation;
};

SpawnedTask spawn_task(TaskSettings settings);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::FindTask)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::PeerLost)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::SessionEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DrainRuns)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CancelRuns)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::SessionClosed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::LeaveCluster)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Stop)
