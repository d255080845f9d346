#pragma once

#include <memory>

#include <caf/all.hpp>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/messages.hpp"
#include "troupe/actors/task_actor.hpp"
#include "troupe/graph/place/placement.hpp"

namespace troupe {

struct SessionSettings {
  SessionId id = 0;
  std::shared_ptr<const PlacementView> view;
  std::shared_ptr<const OpCatalog> catalog;
  std::chrono::milliseconds connect_timeout;
  std::shared_ptr<World> world;
  std::shared_ptr<Gauges> gauges;
  SessionOptions options;
  std::chrono::milliseconds idle_limit;         // it closes after so long without a call; 0: never
  std::function<void(const std::string&)> log;  // a line for the node's log; may be empty
};

/// Ends a session that has used one of those containers.
struct CloseIfUsing {
  ContainerChoice containers;
};

/// Said to a session, which has it hold from its next extension on.
struct ClusterChanged {
  ClusterSpec cluster;
};

/// A client's graph and its compiled steps, on the node that the client chose as master. A step
/// that is asked for the first time is pruned, placed, cut into partitions and registered with the
/// device actors of the tasks it uses; later steps of the same feeds, fetches and targets only
/// start.
///
/// SE-1: each Run is answered once: by the fetches, or by the first error, after which the other
///       devices were told to cancel. Further errors that the cancel did not cause are its notes.
/// SE-2: a failed compilation is not remembered; a lost or restarted device makes those compiled
///       steps that use it be compiled again, those of callables, too.
/// SE-3: what a call made (a callable, a partial run) lives until it is released, or the session
///       ends.
///
/// What a session is for its task, beside what it is for clients.
using TaskSession = SessionActor::extend<
    caf::reacts_to<Explain>, caf::reacts_to<PeerLost>, caf::reacts_to<CloseIfUsing>,
    caf::reacts_to<ClusterChanged>, caf::reacts_to<DrainRuns>, caf::reacts_to<CancelRuns>>;

/// `task` is the actor of the master's task.
TaskSession spawn_session(caf::actor_system& system, TaskActor task, SessionSettings settings);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CloseIfUsing)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ClusterChanged)
