#pragma once

#include <filesystem>
#include <memory>

#include <caf/all.hpp>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/session/session_counters.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/graph/place/placement.hpp"

namespace troupe {

struct SessionSettings {
  SessionId id = 0;
  std::string runner;                  // whose session it is, "container/name"; or empty
  std::shared_ptr<const Graph> graph;  // that it begins with; null: an empty one
  std::shared_ptr<const PlacementView> view;
  std::shared_ptr<const OpCatalog> catalog;
  std::chrono::milliseconds connect_timeout;
  std::shared_ptr<World> world;
  std::shared_ptr<Metrics> metrics;
  SessionOptions options;
  std::shared_ptr<SessionEnd> end = std::make_shared<SessionEnd>();  // set before it ends
  std::shared_ptr<SessionCounters> use = std::make_shared<SessionCounters>();
  std::chrono::milliseconds idle_limit;         // closed after this time without a call; 0: never
  std::function<void(const std::string&)> log;  // writes a line to the node's log; may be empty
  std::shared_ptr<Device> device;               // whose kernels fold constants; may be null
  std::filesystem::path dump_graphs;            // where to write graphs after each pass; or empty
};

/// Closes the session if one of its compiled steps uses one of those containers.
struct CloseIfUsing {
  ContainerChoice containers;
};

/// Closes the session: as Close, for the task.
struct CloseByTask {
  std::string closed_by;  // "its node, which stopped"
};

/// The tasks of the cluster have changed. The session places nodes on the new ones from its next
/// Extend on.
struct ClusterChanged {
  ClusterSpec cluster;
};

/// A client's graph and its compiled steps, on the node that the client chose as master. The first
/// step with given feeds, fetches and targets is pruned, placed, cut into partitions and registered
/// with the device actors that it uses; later ones are only started.
///
/// SE-1: each Run is answered once: with the fetches, or with the first error, after the other
///       devices were told to cancel. Later errors that the cancel did not cause are added as
///       notes.
/// SE-2: a failed compilation is not remembered. Steps compiled for a device that is lost or has
///       restarted are compiled again when they are next run, those of callables, too.
/// SE-3: a session object (a callable or a partial run) exists until it is released, or the session
///       ends.
///
/// This is a session as its task sees it: the task owns the actor. It adds the messages of the task
/// to the calls of clients (SessionActor); SessionProtocol adds those of devices and of the session
/// itself.
using OwnedSessionActor = SessionActor::extend<
    caf::reacts_to<ListWaitingSteps>, caf::reacts_to<TraceNextStep>, caf::reacts_to<PeerLost>,
    caf::reacts_to<CloseIfUsing>, caf::reacts_to<CloseByTask>, caf::reacts_to<ClusterChanged>,
    caf::reacts_to<DrainRuns>, caf::reacts_to<CancelRuns>>;

/// `task` is the master's task actor.
OwnedSessionActor spawn_session(
    caf::actor_system& system, TaskActor task, SessionSettings settings);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CloseIfUsing)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CloseByTask)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ClusterChanged)
