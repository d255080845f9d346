#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/cluster/resource_index.hpp"
#include "troupe/actors/container/container_actor.hpp"
#include "troupe/actors/metrics.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/graph/cluster/task_config.hpp"

namespace troupe {

/// Asks for the description of a task: its devices and their actors. Connects to it if necessary.
struct FindTask {
  std::string job;
  int task = 0;
  std::chrono::milliseconds timeout;
};

/// Another task is lost. Sent by the task actor, which watches all peers, to its sessions and
/// devices, which watch none themselves.
struct PeerLost {
  std::string task;
  std::string why;  // "it has not answered for 2000 ms"
};

/// Sent by a device to its task: a session (of any master) has no plans on the device any more, so
/// its private containers are dropped.
struct DeviceSessionEnded {
  uint64_t session = 0;
};

/// Sent to a session, which then refuses new runs. It releases `drained` when its open runs have
/// ended.
struct DrainRuns {
  std::shared_ptr<void> drained;
};

/// Cancels all open runs of a session.
struct CancelRuns {
  Status why;
};
/// Sent by a session to its task before its client is answered: the session does not count towards
/// sessions_max any more.
struct SessionClosed {};

/// Makes a runner with that graph, which is not changed, in a session with those options. Sent by
/// the session whose client leaves the runner.
struct MakeRunner {
  StartRunner call;
  std::shared_ptr<const Graph> graph;
  SessionOptions options;
};

/// Removes the task from the cluster, if it has joined; its resources are lost then. Succeeds
/// without effect on a configured task.
struct LeaveCluster {
  DoneStatus done;
};

/// Closes the sessions of the task, then ends all its actors.
struct Stop {
  DoneStatus done;
};

/// The root actor of one node. It owns the actors of its devices, containers and sessions, and
/// connects to the other tasks of the cluster when they are first needed
/// (cluster/peer_monitor.hpp).
///
/// This is a task as other tasks see it, and the devices and sessions of its own process. It adds
/// their messages to the calls of clients (MasterActor); TaskProtocol adds those that the actor
/// sends to itself.
using TaskActor = MasterActor::extend<
    // From other nodes. FailedPrecondition: the sender expects another task or cluster here.
    caf::replies_to<Hello>::with<Status, TaskDescription>,
    caf::replies_to<ResetContainers>::with<Status>,
    caf::replies_to<ListTaskResources>::with<TaskResources>,
    caf::replies_to<ListTaskRunners>::with<TaskRunners>,
    caf::replies_to<ListTaskSessions>::with<TaskSessions>,
    caf::replies_to<ControlTaskRunner>::with<Status>, caf::reacts_to<Ping>, caf::reacts_to<Pong>,
    // From other nodes, and from sessions of this process (cluster/resource_directory_client.hpp).
    caf::replies_to<FindResources>::with<Status, ResourcePlaces>,
    caf::replies_to<PlaceResources>::with<Status, ResourcePlaces>,
    caf::replies_to<ListHeldResources>::with<HeldResources>,
    caf::replies_to<Reconcile>::with<Status>,
    // From other nodes (cluster/membership.hpp).
    caf::replies_to<Join>::with<Status, Joined>, caf::replies_to<Leave>::with<Status>,
    caf::replies_to<MembershipUpdate>::with<Status>,
    // From this process. Unavailable names the task that cannot be reached, with the reason.
    caf::replies_to<FindTask>::with<Status, TaskDescription>,
    caf::replies_to<Bind>::with<Status, Bindings>,
    // Answered when containers hold the resources. Aborted: one was placed elsewhere meanwhile.
    caf::replies_to<Commit>::with<Status>, caf::reacts_to<Withdraw>,
    caf::reacts_to<DeviceSessionEnded>, caf::reacts_to<SessionClosed>, caf::reacts_to<MakeRunner>,
    caf::reacts_to<LeaveCluster>, caf::reacts_to<Stop>>;

struct TaskSettings {
  TaskConfig config;
  /// Set if the task joins a running cluster; the cluster of `config` is then that of `joined`.
  std::optional<Joined> joined = {};
  /// Tasks connect only to tasks whose cluster has the same name.
  std::string cluster_name;
  std::vector<std::shared_ptr<Device>> devices;
  std::shared_ptr<const OpCatalog> catalog;
  std::shared_ptr<World> world;
  /// How long a connection to a peer is retried.
  std::chrono::milliseconds connect_timeout{10000};
  /// A peer that has not answered for this time is lost; 0: never.
  std::chrono::milliseconds heartbeat_limit{2000};
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  std::shared_ptr<ResourceIndex> resource_index = std::make_shared<ResourceIndex>();
  /// The maximum number of sessions with this task as master, those of runners among them; 0: no
  /// limit.
  size_t sessions_max = 0;
  /// The maximum number of runners of this task.
  size_t runners_max = 64;
  /// A session that was not called for this time is closed; 0: never.
  std::chrono::milliseconds session_idle_limit{0};
  /// Writes a line to the node's log; called from any thread. May be empty.
  std::function<void(const std::string&)> log = {};
  /// Where sessions with this task as master write the graph of each step after each pass
  /// (graph/optimize/graph_dump.hpp); empty: nowhere.
  std::filesystem::path dump_graphs = {};
};

/// A task actor and its incarnation, a random number that differs after each start.
struct SpawnedTask {
  TaskActor actor;
  uint64_t incarnation;
};

SpawnedTask spawn_task(TaskSettings settings);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::FindTask)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::PeerLost)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DeviceSessionEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DrainRuns)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CancelRuns)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::SessionClosed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::MakeRunner)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::LeaveCluster)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Stop)
