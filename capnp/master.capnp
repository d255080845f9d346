@0xd7dcc5f3cd38f688;
# The door of a node. Every node of a cluster has it, at the address that the cluster's
# specification gives for it, and whichever a client asks is that client's master.
#
# What holds for all interfaces of the door:
#   - A connection is Cap'n Proto's two-party RPC over TCP. Its bootstrap object is a Login. Calls
#     may be sent to what an answer will hold before the answer is there.
#   - A message has at most 4 GiB and 512 segments; before login() or join() it has at most 64 KiB,
#     and a connection has 10 s until one of them. Lists and texts have no other bounds.
#   - At most 4096 calls of a connection may be under way, those included whose answers are not
#     taken or not finished (released). One more ends the connection, as does a frame that cannot be
#     right. A client that is slow to take its answers is not read on meanwhile.
#   - A parameter that cannot be right is InvalidArgument, which names it: a message that is
#     malformed, a list whose pointers lead to one place again and again, a timeout of over ten
#     years. Each method may answer so, and Aborted where the node's actor that was asked has
#     ended.
#   - A timeout of 0 does not wait: what is not there at once counts as late. (That of a step or a
#     session is another matter: there 0 means none.)
#   - A call is given up by dropping it, an object by dropping the last reference to it; both happen
#     when the connection ends. Calls that were sent in some order begin in that order.
#   - A method that a node does not know ends with Cap'n Proto's exception "unimplemented". New
#     methods, fields and members of unions may come at any time; they take the next numbers. (So
#     will queues, as further kinds of Resource, and metrics and runners, as capabilities that
#     further methods of Master give out.)

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Graph;
using import "session.capnp".Session;
using import "session.capnp".SessionOptions;
using import "status.capnp".Status;
using import "tensor.capnp".DType;
using import "tensor.capnp".Shape;

interface Login {
  # What a new connection gets (Cap'n Proto's bootstrap object). It only lets one in.

  login @0 (protocolVersion :UInt32, client :Text)
      -> (status :Status, master :Master, identity :NodeIdentity, protocolVersion :UInt32);
  # Opens the door to a client that speaks version 2 of this protocol or any later one;
  # FailedPrecondition, which names both, where it is older than this node takes. `client` says who
  # calls, for the log ("digits 0.1"). Proof of who calls will be a further parameter, and `master`
  # then as narrow as that proof. `identity` is who serves here, and
  # `protocolVersion` what it speaks; 0 where that is version 2.

  peer @1 () -> (status :Status, identity :NodeIdentity);
  # Who serves here, for the other nodes of the cluster. Always ok.

  join @2 (protocolVersion :UInt32, cluster :Text, job :Text, address :Text)
      -> (status :Status, task :UInt32, cluster :Cluster, joined :Cluster, change :UInt64,
          keeperJob :Text, keeperTask :UInt32);
  # For a node that belongs to no cluster yet: gives it a place in this one, as the next task of
  # that job. It will serve at that address; one that was there before gets its place again, so it
  # may ask twice. `protocolVersion` is of what nodes say to each other, and `cluster` the name that
  # it was given for the cluster. AlreadyExists: the address is that of a task of the cluster's
  # configuration. Unavailable: the task that gives out the places, `keeperTask` of `keeperJob`, is
  # out of reach.
  #
  # It gets the cluster as it was configured, the tasks that have joined since, and how many changes
  # there have been.
  #
  # FailedPrecondition: another version. InvalidArgument: another cluster's name, an address that is
  # none. ResourceExhausted: no more tasks can join.
}

struct NodeIdentity {
  # A task of a cluster, and where its actors are reached.

  job @0 :Text;
  task @1 :UInt32;

  incarnation @2 :UInt64;
  # Drawn anew at each start: another number at the same address means that the task restarted.

  protocolVersion @3 :UInt32;
  # Of what nodes say to each other; those with different versions do not talk.

  actorPort @4 :UInt16;
  # The port of its actors, on the same host; 0 where they take no peers.
}

interface Master {
  # A client's way to the whole cluster, through the node that it asked.

  createSession @0 (graph :Graph, options :SessionOptions)
      -> (status :Status, session :Session, warnings :List(Text));
  # Opens a session on that graph, which may be empty and extended later. There is a session only
  # where the status is ok. ResourceExhausted: the node takes no more. Unavailable: it drains.
  # InvalidArgument: a bad node, which it names, or a bad option. `warnings` says what of the
  # options has no effect. The call goes on when it is dropped, and its session closes then.

  listDevices @1 (timeoutMs :UInt64) -> (status :Status, devices :List(Device),
                                         missing :List(Status));
  # The devices of all tasks that answer in time; `missing` has an error for each other task, which
  # names it. The status is ok also where tasks are missing.

  cluster @2 () -> (status :Status, cluster :Cluster);
  # The tasks of the cluster and their addresses, as this node knows them. It asks no other node.

  reset @3 (containers :List(Text), timeoutMs :UInt64, all :Bool, onlyTask :Text)
      -> (status :Status);
  # Frees those containers on every task ("" is the default one), or all that there are; closes the
  # sessions that are open on this node, and those of other nodes that have used such a container.
  # Unavailable names the tasks that were not reached in time; all others have been reset. With
  # `onlyTask` ("/job:ps/task:0"), nothing is freed or closed elsewhere.

  nodeInfo @4 () -> (status :Status, info :NodeInfo);
  # What the node says of itself. It asks no other node.

  explain @5 (timeoutMs :UInt64) -> (status :Status, steps :List(WaitingStep));
  # What the steps of this node's sessions wait for that have not ended. A device that does not tell
  # within the timeout is itself an answer.

  drain @6 (timeoutMs :UInt64) -> (status :Status);
  # From then on the node opens no sessions and, as master, runs no new steps; it goes on to compute
  # for other masters. Answers when its steps have ended. Those that have not at the timeout are
  # cancelled, and the answer is DeadlineExceeded; the node stays drained.

  stop @7 (timeoutMs :UInt64) -> (status :Status);
  # Drains the node for most of that time, answers as drain() does, and then ends it within the
  # rest, and with it this connection.

  listResources @8 (timeoutMs :UInt64) -> (status :Status, resources :List(Resource),
                                           missing :List(Status));
  # What the containers of all tasks hold that answer in time; `missing` has an error for each other
  # task, which names it.
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
  # Among the devices of that type of its task.

  memoryLimit @3 :UInt64;
  # Bytes that it gives out at most.

  description @4 :Text;
  # The hardware, in words.

  incarnation @5 :UInt64;
  # Of its task, when it answered.

  state @6 :NodeState;
  # Of its task.

  memoryInUse @7 :UInt64;
  # Bytes, when it answered.
}

struct Resource {
  # A thing that a container holds.

  container @0 :Text;
  name @1 :Text;

  kind @2 :Text;
  # "variable".

  dtype @3 :DType;
  shape @4 :Shape;

  bytes @5 :UInt64;
  # Of its value; 0 before it has one.

  device @6 :Text;
  # Where it lives, "/job:ps/task:0/device:CPU:0".

  idleMs @7 :UInt64;
  # Since a step used it last.
}

struct Cluster {
  jobs @0 :List(Job);

  struct Job {
    name @0 :Text;
    tasks @1 :List(Task);
  }

  struct Task {
    index @0 :UInt32;
    # Each once in its job; there may be gaps.

    host @1 :Text;
    port @2 :UInt16;
  }
}

struct WaitingStep {
  session @0 :UInt64;
  step @1 :UInt64;
  # Its number in the session; 0 while it is not compiled.

  ageMs @2 :UInt64;
  # Since it began.

  waits @3 :List(Wait);

  struct Wait {
    device @0 :Text;
    # Where; empty where no device has the step yet.

    node @1 :Text;
    op @2 :Text;
    # The graph's node that waits; empty where none does.

    what @3 :Text;
    # What it waits for, in words: "'MatMul:0' from /job:worker/task:1/device:CPU:0".

    peer @4 :Text;
    # The task that it comes from; empty where none is to blame.

    ageMs @5 :UInt64;
    # Since when.
  }
}

struct NodeInfo {
  job @0 :Text;
  task @1 :UInt32;
  incarnation @2 :UInt64;
  protocolVersion @3 :UInt32;

  cluster @4 :Cluster;

  sessions @5 :UInt64;
  # That are open now.

  steps @6 :UInt64;
  # That it ran as master, since its start.

  lateMessages @7 :UInt64;
  # That came for steps which had ended already, and were dropped.

  state @8 :NodeState;
}
