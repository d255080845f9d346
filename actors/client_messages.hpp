#pragma once

#include <caf/all.hpp>

#include "troupe/actors/metrics.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/session/session_end.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/step_explanation.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

// The calls of clients to the task and session actors of their process, sent by its RPC server or
// by a local session. These messages do not leave the process. Each call is answered through its
// callback exactly once, from any thread.

/// The callback of a call.
template <class T>
using Done = std::function<void(Result<T>)>;
using DoneStatus = std::function<void(Status)>;

using MetadataCallback = std::function<void(RunMetadata)>;

/// Identifies a call within its session, so that the caller can cancel it, and the session object
/// (a callable or a partial run) that the call made. Chosen by the caller; not used twice in a
/// session.
using CallId = uint64_t;

// To a session actor:

/// Adds functions to the library of the session's graph, in any order, then nodes to the graph: all
/// of them, or none and an error. Aborted: before the call, the graph has not `expected_size`
/// nodes.
struct Extend {
  std::vector<NodeDef> nodes;
  uint64_t expected_size;
  DoneStatus done;
  std::vector<FunctionDef> functions = {};

  /// With those of the functions.
  size_t node_count() const { return count_nodes(nodes, functions); }
};

/// Runs one step.
struct Run {
  CallId call;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  Done<Tensors> done;
  MetadataCallback on_metadata = {};  // called before `done` if the options ask for metadata
};

/// Ends the step of a call with Cancelled; no effect if it has ended already.
struct CancelRun {
  CallId call;
};

/// Makes a callable, whose id is that of this call: compiles a step, which stays compiled until the
/// callable is released.
struct MakeCallable {
  CallId call;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  DoneStatus done;
};

/// Runs one step of a callable. InvalidArgument: there is no such callable.
struct RunCallable {
  CallId call;
  CallId callable;
  Tensors feeds;
  RunOptions options;
  Done<Tensors> done;
  MetadataCallback on_metadata = {};
};

/// Makes a partial run, whose id is that of this call: compiles and starts a step that is fed and
/// fetched while it runs. It exists until it is released; CancelRun ends its step.
struct SetUpPartialRun {
  CallId call;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  DoneStatus done;
};

/// Feeds a partial run and answers with the values of fetches, see PartialRun::run().
struct RunPartially {
  CallId partial_run;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  Done<Tensors> done;
};

/// Places and cuts a step without running it, and answers why and with which predicted costs. No
/// resource comes into being.
struct ExplainSignature {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  Done<StepExplanation> done;
};

/// Leaves a runner, see Session::start_runner(): the session's task gets MakeRunner.
struct StartRunner {
  std::string name;
  RunnerSpec spec;
  DoneStatus done;
};

/// Releases a callable or a partial run, or cancels the call that makes it.
struct Release {
  CallId object;
};

/// Cancels all steps, drops all plans, and ends the session. Answered when that is done.
struct Close {
  DoneStatus done;
};

/// A session as its clients see it: the calls of one client session. OwnedSessionActor adds the
/// messages of the session's task, SessionProtocol those of devices and of the session itself.
using SessionActor = caf::typed_actor<
    caf::reacts_to<Extend>, caf::reacts_to<Run>, caf::reacts_to<CancelRun>,
    caf::reacts_to<MakeCallable>, caf::reacts_to<RunCallable>, caf::reacts_to<SetUpPartialRun>,
    caf::reacts_to<RunPartially>, caf::reacts_to<Release>, caf::reacts_to<Close>,
    caf::reacts_to<ExplainSignature>, caf::reacts_to<StartRunner>>;

// To a task actor, as master:

/// ResourceExhausted: the task has the maximum number of sessions.
struct CreateSession {
  Done<SessionActor> done;
  SessionOptions options = {};
  std::shared_ptr<SessionEnd> end = std::make_shared<SessionEnd>();  // the session sets it
  std::string client = {};  // who asks, for the list of sessions
};

struct ListDevices {
  std::chrono::milliseconds timeout;
  Done<DeviceList> done;
};

struct ListResources {
  std::chrono::milliseconds timeout;
  Done<ResourceList> done;
};

struct ListRunners {
  std::chrono::milliseconds timeout;
  Done<RunnerList> done;
};

struct ListSessions {
  std::chrono::milliseconds timeout;
  Done<SessionList> done;
};

/// Pauses, resumes or stops a runner, wherever it is. NotFound: no task has it. FailedPrecondition:
/// it has ended and cannot go on. Unavailable: it may be on a task that does not answer.
struct ControlRunner {
  ControlTaskRunner what;
  std::chrono::milliseconds timeout;
  DoneStatus done;
};

/// Drops the resources of containers ("" is the default one) on every task, and closes all sessions
/// of this task and those of other tasks that use the containers. Unavailable, after all other
/// tasks were reset, names those that could not be reached in time.
struct Reset {
  ContainerChoice containers;
  std::chrono::milliseconds timeout;
  DoneStatus done;
  std::string only_task = {};  // "/job:ps/task:0": other tasks are not reset
};

struct GetNodeInfo {
  Done<NodeInfo> done;
};

/// Asks what the running steps of all sessions wait for. A device that does not answer within the
/// timeout is reported as what its steps wait for.
struct ListWaitingSteps {
  std::chrono::milliseconds timeout;
  Done<std::vector<WaitingStep>> done;
};

/// Asks for the metadata of the next step that one of the task's sessions starts: of that one, or
/// of any (0). The options say what it records, and how long to wait for its end:
/// DeadlineExceeded. NotFound: the task has no such session, or it ended.
struct TraceNextStep {
  SessionId session = 0;
  RunOptions options;
  Done<RunMetadata> done;
};

/// From then on the task creates no session and, as master, starts no step. Answered when the
/// running steps have ended. DeadlineExceeded: some had not at the timeout, and were cancelled.
struct Drain {
  std::chrono::milliseconds timeout;
  DoneStatus done;
};

/// Join, sent by a process whose actors do not run yet, through an RPC server of the cluster.
struct AdmitTask {
  Join request;
  Done<Joined> done;
};

/// Removes a task that has joined and is dead from the cluster, and its resources from the
/// directory. InvalidArgument: no name of a task. NotFound: the cluster has no such task.
/// FailedPrecondition: it belongs to the cluster by its configuration, or it answers. Unavailable:
/// the directory service is unreachable.
struct ForgetTask {
  std::string task;  // "/job:worker/task:3"
  std::chrono::milliseconds timeout;
  DoneStatus done;
};

/// A task as its clients see it: the calls to a master. TaskActor adds the messages of other tasks
/// and of this task's sessions and devices, TaskProtocol those that it sends to itself.
using MasterActor = caf::typed_actor<
    caf::reacts_to<CreateSession>, caf::reacts_to<ListDevices>, caf::reacts_to<ListResources>,
    caf::reacts_to<ListRunners>, caf::reacts_to<ListSessions>, caf::reacts_to<ControlRunner>,
    caf::reacts_to<Reset>, caf::reacts_to<GetNodeInfo>, caf::reacts_to<ListWaitingSteps>,
    caf::reacts_to<TraceNextStep>, caf::reacts_to<Drain>, caf::reacts_to<AdmitTask>,
    caf::reacts_to<ForgetTask>>;

/// Sends a call from a thread that does not belong to CAF. With `here`, the actors that it wakes
/// are queued on that execution unit and run when its owner drains it; otherwise on CAF's threads.
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
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListWaitingSteps)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ExplainSignature)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StartRunner)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::TraceNextStep)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::CreateSession)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListDevices)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListResources)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListRunners)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListSessions)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ControlRunner)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Reset)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::GetNodeInfo)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Drain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::AdmitTask)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ForgetTask)
