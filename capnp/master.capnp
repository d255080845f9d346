@0xd7dcc5f3cd38f688;
# The service of a node. Every node of a cluster serves it, at its address in the cluster's
# specification; the node that a client connects to is the master of that client's sessions.
#
# Rules for all interfaces of this service:
#   - A connection is Cap'n Proto's two-party RPC over TCP. Its bootstrap object is a Login. Calls
#     may be pipelined on the capabilities of an answer that has not arrived.
#   - A message has at most 4 GiB and 512 segments. Before login() or join() it has at most 64 KiB,
#     and one of these must be called within 10 s. Lists and texts have no other limits.
#   - At most 4096 calls of a connection may be in progress, including those whose answers the
#     client has not read or not finished (released). One more ends the connection, as does an
#     invalid frame. While a client does not read its answers, its calls are not read.
#   - Every method may answer InvalidArgument, which names the parameter: a malformed message, a
#     list whose pointers all point to one place, a timeout of more than ten years. It may answer
#     Aborted where the actor of the node that should answer has ended.
#   - A timeout of 0 does not wait: what is not available at once counts as timed out. (For a step
#     or a session, 0 means no timeout.)
#   - Dropping a call cancels it; dropping the last reference to an object releases it. Both happen
#     when the connection ends. Calls on one object start in the order in which they were sent.
#   - A method that a node does not know fails with Cap'n Proto's exception "unimplemented". New
#     methods, fields and union members may be added at any time and take the next numbers. (So
#     will queues, as further kinds of Resource, and metrics, as a capability that a further method
#     of Master returns.)

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Graph;
using import "session.capnp".Session;
using import "session.capnp".SessionOptions;
using import "metadata.capnp".RunMetadata;
using import "status.capnp".Status;
using import "tensor.capnp".DType;
using import "tensor.capnp".Shape;

interface Login {
  # The bootstrap object of a connection. It only gives access to the other interfaces.

  login @0 (protocolVersion :UInt32, client :Text)
      -> (status :Status, master :Master, identity :NodeIdentity, protocolVersion :UInt32);
  # Gives a client the Master. `protocolVersion` is the client's version of this protocol, at least
  # 2; FailedPrecondition, which names both versions, where the node requires a later one. `client`
  # is what the client calls itself, for the list of sessions ("digits (process 7) of ann@host"):
  # 200 bytes of ASCII. There are no credentials yet; they will be a further parameter, and `master`
  # will then be restricted to what they allow. The answer has the node's identity and its protocol
  # version (0 stands for 2).

  peer @1 () -> (status :Status, identity :NodeIdentity);
  # The identity of this node, which anyone may ask for. Always ok.

  join @2 (protocolVersion :UInt32, cluster :Text, job :Text, address :Text)
      -> (status :Status, task :UInt32, cluster :Cluster, joined :Cluster, change :UInt64,
          directoryJob :Text, directoryTask :UInt32);
  # Adds the calling node to this cluster, as the next task of that job, which will serve at that
  # address. A joined address gets the same task index again, so the call may be repeated.
  # `protocolVersion` is that of the protocol between nodes, `cluster` the configured name of the
  # cluster. The answer has the cluster as it was configured (`cluster`), the tasks that have joined
  # since (`joined`), the number of changes so far, and the task that runs the directory service,
  # which decides about joins.
  #
  # FailedPrecondition: another version. InvalidArgument: another cluster name, or a malformed
  # address. AlreadyExists: the address is that of a task of the cluster's configuration.
  # ResourceExhausted: no more tasks can join. Unavailable: the directory service is unreachable.
}

struct NodeIdentity {
  # A task of a cluster.

  job @0 :Text;
  task @1 :UInt32;

  incarnation @2 :UInt64;
  # Random, new at each start: another number at the same address means that the task restarted.

  protocolVersion @3 :UInt32;
  # Of the protocol between nodes, which must be equal.

  unused @4 :UInt16;
}

interface Master {
  # The cluster, as a client uses it through the node that it is connected to.

  createSession @0 (graph :Graph, options :SessionOptions)
      -> (status :Status, session :Session, warnings :List(Text));
  # Opens a session on that graph, which may be empty and extended later. There is a session only
  # if the status is ok. ResourceExhausted: the node has its maximum of sessions. Unavailable: it is
  # draining. InvalidArgument: a bad node, which it names, or a bad option. `warnings` lists the
  # options without effect. Dropping the call does not cancel it, but its session is then closed.

  listDevices @1 (timeoutMs :UInt64) -> (status :Status, devices :List(Device),
                                         missing :List(Status));
  # The devices of all tasks that answer in time; `missing` has an error for each other task, which
  # names it. The status is ok even if tasks are missing.

  cluster @2 () -> (status :Status, cluster :Cluster);
  # The tasks of the cluster and their addresses, as known to this node, which calls no other node.

  reset @3 (containers :List(Text), timeoutMs :UInt64, all :Bool, onlyTask :Text)
      -> (status :Status);
  # Frees those containers on every task ("" is the default one), or all containers; closes the
  # sessions that are open on this node, and those of other nodes that have used such a container.
  # Unavailable names the tasks that were not reached in time; all others have been reset. With
  # `onlyTask` ("/job:ps/task:0"), nothing is freed or closed elsewhere.

  nodeInfo @4 () -> (status :Status, info :NodeInfo);
  # Information about this node, which calls no other node.

  listWaitingSteps @5 (timeoutMs :UInt64) -> (status :Status, steps :List(WaitingStep));
  # For each running step of this node's sessions: what it waits for. A device that does not report
  # within the timeout is listed as the reason itself.

  drain @6 (timeoutMs :UInt64) -> (status :Status);
  # From now on the node refuses new sessions and, as master, new steps; it still computes for other
  # masters. Answers when the steps of its sessions have ended. At the timeout the others are
  # cancelled, and the answer is DeadlineExceeded; the node stays drained.

  stop @7 (timeoutMs :UInt64) -> (status :Status);
  # Drains the node for most of that time, answers Ok when that is over, whether or not its steps
  # had ended, and then stops it within the remaining time, which ends this connection.

  listResources @8 (timeoutMs :UInt64) -> (status :Status, resources :List(Resource),
                                           missing :List(Status));
  # The resources in the containers of all tasks that answer in time; `missing` has an error for
  # each other task, which names it.

  forgetTask @9 (task :Text, timeoutMs :UInt64) -> (status :Status);
  # Removes a task ("/job:worker/task:3") that has joined the cluster and is dead for good: it is
  # not listed as missing any more, and its resources may be placed anew. FailedPrecondition: the
  # task belongs to the cluster by its configuration, or it answers. NotFound: there is no such
  # task. Unavailable: the directory service is unreachable.

  traceNextStep @10 (session :UInt64, trace :Bool, partitionGraphs :Bool, timeoutMs :UInt64)
      -> (status :Status, metadata :RunMetadata);
  # The metadata of the next step that a session of this node starts, whoever its client is: of that
  # session, or of any (0). DeadlineExceeded: no step has begun and ended within the timeout.
  # NotFound: the node has no such session, or it ended.

  listRunners @11 (timeoutMs :UInt64) -> (status :Status, runners :List(Runner),
                                          missing :List(Status));
  # The runners of all tasks that answer in time; `missing` has an error for each other task, which
  # names it.

  controlRunner @12 (container :Text, name :Text, action :RunnerAction, timeoutMs :UInt64)
      -> (status :Status);
  # Pauses, resumes or stops a runner, whichever task it is on. A pause lets the steps that it has
  # started end; a stop cancels them, runs the cancel op, and frees the name. NotFound: no task has
  # it. Unavailable: none that answers in time. FailedPrecondition: it has ended, so it can only be
  # stopped.

  listSessions @13 (timeoutMs :UInt64) -> (status :Status, sessions :List(OpenSession),
                                           missing :List(Status));
  # The open sessions of all tasks that answer in time, those of runners among them; `missing` has
  # an error for each other task, which names it.

  clock @14 () -> (status :Status, unixNs :Int64);
  # The wall clock of this node's machine when it answers: nanoseconds since 1970-01-01, UTC.
}

struct OpenSession {
  id @0 :UInt64;
  # As WaitingStep.session.

  task @1 :Text;
  # Its master, "/job:worker/task:0".

  client @2 :Text;
  # Login.login's `client` of the connection that opened it; empty if that said nothing.

  runner @3 :Text;
  # "container/name" of the runner whose session it is; empty if it is a client's.

  ageMs @4 :UInt64;
  # Time since it was opened.

  nodes @5 :UInt64;
  # Of its graph, without those of functions.

  runningSteps @6 :UInt64;
  # That have not been answered.

  steps @7 :UInt64;
  # Started since it was opened.
}

struct Runner {
  # What a client has left on a task, see Session.startRunner.

  container @0 :Text;
  name @1 :Text;

  task @2 :Text;
  # "/job:worker/task:1".

  state @3 :RunnerState;

  ageMs @4 :UInt64;
  # Time since it is in that state.

  steps @5 :UInt64;
  # That have ended well.

  failures @6 :UInt64;
  lastError @7 :Status;
  # Steps that have failed, but for those that ended its input, and the error of the last of them.

  result @8 :Status;
  # Of a runner that has ended: why; ok after the end of its input.
}

enum RunnerState {
  running @0;
  paused @1;
  ended @2;
}

enum RunnerAction {
  pause @0;
  resume @1;
  stop @2;
}

enum NodeState {
  serving @0;
  draining @1;
}

struct Device {
  name @0 :Text;
  # "/job:ps/task:0/device:CPU:0".

  type @1 :Text;
  # "CPU".

  index @2 :UInt32;
  # Among the devices of its type in its task.

  memoryLimit @3 :UInt64;
  # The most bytes that it allocates.

  description @4 :Text;
  # Description of the hardware.

  incarnation @5 :UInt64;
  # Of its task, when it answered.

  state @6 :NodeState;
  # Of its task.

  memoryInUse @7 :UInt64;
  # Bytes, when it answered.
}

struct Resource {
  # A resource in a container.

  container @0 :Text;
  name @1 :Text;

  kind @2 :Text;
  # "variable", "hash table", "queue".

  dtype @3 :DType;
  shape @4 :Shape;

  bytes @5 :UInt64;
  # Size of its value; 0 while it has none.

  device @6 :Text;
  # Where it is placed, "/job:ps/task:0/device:CPU:0".

  idleMs @7 :UInt64;
  # Time since a step last used it.

  capacity @8 :Int64 = -1;
  # Of a queue, whose elements the shape counts: the most of them; -1: any number.

  waitingProducers @9 :Int64;
  waitingConsumers @10 :Int64;
  # Steps' ops that wait to put elements into a queue, and to take some out.

  enqueues @11 :QueueTraffic;
  dequeues @12 :QueueTraffic;
  # What went into a queue, and came out of it; null of all else.
}

struct QueueTraffic {
  # What has gone into a queue, or come out of it, and which ops wait to do so.

  elements @0 :Int64;
  # Since the queue was made.

  perSecond @1 :Float64;
  # Elements a second, over the last 10 to 20 seconds.

  idleMs @2 :Int64 = -1;
  # Time since the latest; -1: there was none.

  waiters @3 :List(QueueWaiter);
  # Those that have waited longest, a few of waitingProducers or waitingConsumers.
}

struct QueueWaiter {
  node @0 :Text;
  # "'take' of step 3 of a session at /job:worker/task:0"; empty if not known.

  ageMs @1 :UInt64;
  # How long it has waited.
}

struct Cluster {
  jobs @0 :List(Job);

  struct Job {
    name @0 :Text;
    tasks @1 :List(Task);
  }

  struct Task {
    index @0 :UInt32;
    # Unique in its job; there may be gaps.

    host @1 :Text;
    port @2 :UInt16;
  }
}

struct WaitingStep {
  session @0 :UInt64;
  step @1 :UInt64;
  # Its number in the session; 0 until it is compiled.

  ageMs @2 :UInt64;
  # Time since its start.

  waits @3 :List(Wait);

  struct Wait {
    device @0 :Text;
    # The device that waits; empty while the step is on no device yet.

    node @1 :Text;
    op @2 :Text;
    # The node of the graph that waits; empty if none does.

    what @3 :Text;
    # What it waits for, as text: "'MatMul:0' from /job:worker/task:1/device:CPU:0".

    peer @4 :Text;
    # The task that it waits for; empty if there is none.

    ageMs @5 :UInt64;
    # Time since the wait began.
  }

  runner @4 :Text;
  # "container/name" of the runner whose step it is; empty if it is a client's.
}

struct NodeInfo {
  job @0 :Text;
  task @1 :UInt32;
  incarnation @2 :UInt64;
  protocolVersion @3 :UInt32;

  cluster @4 :Cluster;

  sessions @5 :UInt64;
  # Open sessions.

  steps @6 :UInt64;
  # Steps run as master since the start.

  lateMessages @7 :UInt64;
  # Messages that were dropped because their step had ended.

  state @8 :NodeState;
}
