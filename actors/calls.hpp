#pragma once

#include <caf/all.hpp>

#include "troupe/actors/gauges.hpp"
#include "troupe/actors/messages.hpp"
#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

// What a client, through the door of its process, asks of the task and session actors there. These
// messages stay inside the process. Each answers through its callback exactly once, from any
// thread.

/// How a call answers.
template <class T>
using Done = std::function<void(Result<T>)>;
using DoneStatus = std::function<void(Status)>;

using GiveMetadata = std::function<void(RunMetadata)>;

/// Names a call of a session, so that its caller can cancel it, and what the call made. No two
/// calls of one session have the same.
using CallId = uint64_t;

// Of a session actor:

/// Adds nodes to the session's graph: all, or none and an error. `expected_size` is the number of
/// nodes that the graph must have before (else Aborted).
struct Extend {
  std::vector<NodeDef> nodes;
  uint64_t expected_size;
  DoneStatus done;
};

/// Runs one step.
struct Run {
  CallId call;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  Done<Tensors> done;
  GiveMetadata traced = {};  // called before `done`, where the options ask for metadata
};

/// Ends a running step with Cancelled; a step that has ended already is left alone.
struct CancelRun {
  CallId call;
};

/// Compiles a step, which stays compiled until the callable, named as this call, is released.
struct MakeCallable {
  CallId call;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  DoneStatus done;
};

/// Runs one step of a callable; InvalidArgument where there is no such callable.
struct RunCallable {
  CallId call;
  CallId callable;
  Tensors feeds;
  RunOptions options;
  Done<Tensors> done;
  GiveMetadata traced = {};
};

/// Compiles and starts a step that is fed and fetched while it runs. The partial run is named as
/// this call until it is released; CancelRun ends its step.
struct SetUpPartialRun {
  CallId call;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  DoneStatus done;
};

/// Gives a partial run some feeds and answers with some fetches, see PartialRun::run().
struct RunPartially {
  CallId partial_run;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  Done<Tensors> done;
};

/// Ends a callable or a partial run, or the making of it.
struct Release {
  CallId made;
};

/// Cancels all steps, frees all plans, and ends the session. Answers when that is done.
struct Close {
  DoneStatus done;
};

using SessionActor = caf::typed_actor<
    caf::reacts_to<Extend>, caf::reacts_to<Run>, caf::reacts_to<CancelRun>,
    caf::reacts_to<MakeCallable>, caf::reacts_to<RunCallable>, caf::reacts_to<SetUpPartialRun>,
    caf::reacts_to<RunPartially>, caf::reacts_to<Release>, caf::reacts_to<Close>>;

// Of a task actor, as master:

/// ResourceExhausted where the task has as many sessions as it takes.
struct CreateSession {
  Done<SessionActor> done;
  SessionOptions options = {};
};

struct ListDevices {
  std::chrono::milliseconds timeout;
  Done<DeviceList> done;
};

struct ListResources {
  std::chrono::milliseconds timeout;
  Done<ResourceList> done;
};

/// Frees containers ("" is the default one) on every task, and closes all sessions of this task and
/// those of others that hold something of them. Tasks that cannot be reached in time are named in
/// an Unavailable error, after all others were reset.
struct Reset {
  ContainerChoice containers;
  std::chrono::milliseconds timeout;
  DoneStatus done;
  std::string only_task = {};  // "/job:ps/task:0": nothing is freed or closed elsewhere
};

struct GetNodeInfo {
  Done<NodeInfo> done;
};

/// Asks what the steps of all sessions wait for that have not ended. What a device does not tell
/// within the timeout is itself an answer.
struct Explain {
  std::chrono::milliseconds timeout;
  Done<std::vector<WaitingStep>> done;
};

/// From then on the task opens no session and, as master, runs no new step. Answers when those that
/// run have ended; the ones that have not at the timeout are cancelled: DeadlineExceeded.
struct Drain {
  std::chrono::milliseconds timeout;
  DoneStatus done;
};

/// As the message Join between nodes, for a process whose actors do not run yet.
struct LetJoin {
  Join wish;
  Done<Joined> done;
};

using MasterActor = caf::typed_actor<
    caf::reacts_to<CreateSession>, caf::reacts_to<ListDevices>, caf::reacts_to<ListResources>,
    caf::reacts_to<Reset>, caf::reacts_to<GetNodeInfo>, caf::reacts_to<Explain>,
    caf::reacts_to<Drain>, caf::reacts_to<LetJoin>>;

/// Sends a call from a thread that is none of CAF's. With `here`, the actors that it wakes run on
/// that execution unit, once its owner drains it; else on CAF's own threads.
template <class Actor, class Call>
void tell(const Actor& actor, Call call, caf::execution_unit* here = nullptr) {
  auto target = caf::actor_cast<caf::strong_actor_ptr>(actor);
  target->enqueue(nullptr, caf::make_message_id(), caf::make_message(std::move(call)), here);
}

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Extend)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Run)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CancelRun)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::MakeCallable)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::RunCallable)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::SetUpPartialRun)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::RunPartially)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Release)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Close)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Explain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CreateSession)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListDevices)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListResources)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Reset)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::GetNodeInfo)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Drain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::LetJoin)
