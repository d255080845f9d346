@0xcee3dae863e98187;
# A graph on a cluster, and steps of it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Function;
using import "graph.capnp".Node;
using import "metadata.capnp".RunMetadata;
using import "metadata.capnp".StepExplanation;
using import "status.capnp".Status;
using import "tensor.capnp".Tensor;

interface Session {
  # A client's graph. Dropping the last reference closes the session, so it also closes when the
  # client dies or loses its connection. Variables and queues remain in their containers.

  extend @0 (nodes :List(Node), expectedSize :UInt64, functions :List(Function))
      -> (status :Status);
  # Adds functions and nodes to the graph: all of them, or none and an error that names the first
  # bad one. A function that the graph has already must be the same.
  # `expectedSize` is the number of nodes that the graph must have before the call.
  #
  # Aborted: it has another number (two clients extend one session). InvalidArgument: a node
  # violates graph.capnp, or its op does not accept the inputs or attributes. NotFound: there is no
  # such op, or no such input node. FailedPrecondition: the session is closed.

  run @1 (feeds :List(Feed), fetches :List(Text), targets :List(Text), options :RunOptions)
      -> StepAnswer;
  # Runs one step: all that the fetches and targets need, with the feeds in place of the outputs
  # that they name. A fetch or feed is "node:0" or "node"; a target is "node". Several steps may run
  # at once, and answer as they end. Dropping the call before its answer cancels the step.
  #
  # InvalidArgument: a feed, fetch or target is wrong, an op does not accept its inputs, or no
  # device satisfies the constraint of a node. NotFound: the graph has no such feed, fetch or
  # target. Unimplemented: no device that fits has a kernel for an op. DeadlineExceeded: the timeout
  # has passed. Unavailable: a task that the step needs is lost or unreachable, or this node is
  # draining. ResourceExhausted: a device's memory, or the 4 GiB of the answer, do not suffice.
  # Cancelled: the session was closed meanwhile. Aborted: a task restarted, or its state was reset.
  # FailedPrecondition: the session is closed, a variable has no value yet, or the device constraint
  # of a node excludes the device where its resource is placed. Ops may have other errors. After any
  # error the session remains usable, unless it is closed.

  close @2 () -> (status :Status);
  # Cancels the running steps and frees the session; always ok, also when repeated. Other calls
  # after it answer FailedPrecondition.

  makeCallable @3 (feeds :List(Text), fetches :List(Text), targets :List(Text),
                   options :RunOptions) -> (status :Status, callable :Callable);
  # Compiles a step for many runs. `callable` is set only if the status is ok; calls may be
  # pipelined on it. Of the options, only the timeout is used here. The errors are those of run().

  setUpPartialRun @4 (feeds :List(Text), fetches :List(Text), targets :List(Text),
                      options :RunOptions) -> (status :Status, partialRun :PartialRun);
  # Compiles and starts a step whose feeds and fetches are given and fetched by calls of the answer,
  # each once. The timeout is that of the whole step. The errors are those of run().

  explain @5 (feeds :List(Text), fetches :List(Text), targets :List(Text))
      -> (status :Status, explanation :StepExplanation);
  # How the session would run that step, without running it; nothing comes into being. The errors
  # are those of run().

  startRunner @6 (name :Text, container :Text, enqueueOps :List(Text), closeOp :Text,
                  cancelOp :Text, endCodes :List(UInt16)) -> (status :Status);
  # Leaves a runner on the node, in a session of its own with the present graph and options: it runs
  # each enqueue op again and again, also when this session and its connection are gone. It belongs
  # to that container, whose reset stops it. A step that fails with Unavailable or Aborted is tried
  # again, ever less often. One that fails with a code of `endCodes` (Status.code) has come to the
  # end of its input, and after the last of them `closeOp` is run. Any other error, and
  # Master.controlRunner, end the runner: then `cancelOp` is run. Both may be empty.
  #
  # AlreadyExists: the container has a resource of that name. NotFound: the graph has no such node.
  # InvalidArgument: a bad name, no enqueue ops or more than 64, or the session isolates its state.
  # ResourceExhausted: the node has as many runners or sessions as it allows. Unavailable: it is
  # draining, or the directory service cannot be asked.
}

interface Callable {
  # A compiled step, released when the last reference is dropped.

  run @0 (feeds :List(Tensor), options :RunOptions) -> StepAnswer;
  # As Session.run, with a value for each feed of the callable, in their order. A wrong number of
  # feeds is InvalidArgument.
}

interface PartialRun {
  # A step that is fed and fetched while it runs. Dropping the last reference cancels it.

  run @0 (feeds :List(Feed), fetches :List(Text)) -> StepAnswer;
  # Gives the step these feeds and waits for these fetches; the call after which every feed is given
  # and every fetch requested also waits for the targets. InvalidArgument leaves the step unchanged:
  # a feed or fetch that was not set up, or was used before, or a fetch that depends on a feed that
  # was not given yet. Any other error ends the step, and is the answer to all later calls.
}

struct SessionOptions {
  # Options that apply for the lifetime of a session. Those that have no effect are answered with a
  # warning.

  operationTimeoutMs @0 :UInt64;
  # For each step without a timeout of its own; 0: no timeout.

  logDevicePlacement @1 :Bool;
  # The master's log says on which device each node runs.

  deviceFilters @2 :List(Text);
  # The session uses only the devices of its master and those that match one of these filters
  # ("/job:ps", "/job:worker/task:1"); no filters: all devices.

  isolateState @3 :Bool;
  # The session's variables are its own, and end with it.

  threads @4 :UInt32;
  memoryLimit @5 :UInt64;
  # Without effect: these are options of a server, set when it starts.

  fusesElementwise @6 :Bool = true;
  # Devices compute adjacent element-wise nodes in one pass over memory.

  softPlacement @7 :Bool;
  # A node that asks for a type or number of device that its task lacks runs on another of the task.

  placement @8 :Text;
  # Where nodes go that nothing pins to a task: "" to the master's task, "cost" to any task, so that
  # the predicted step is short. InvalidArgument: another text.

  optimizes @9 :Bool = true;
  disabledPasses @10 :List(Text);
  # The master optimizes the graph of each step, with all passes but those that are named here
  # ("fold_constants"). A name that is none is InvalidArgument.

  mixesPrecision @11 :Bool;
  # Nodes on GPUs compute in float16 where that is fast and safe.
}

struct StepAnswer {
  status @0 :Status;

  values @1 :List(Tensor);
  # One for each fetch, in order; empty after an error.

  metadata @2 :RunMetadata;
  # Where the options asked for it.
}

struct Feed {
  output @0 :Text;
  # The output that the value replaces: "node:0" or "node".

  value @1 :Tensor;
}

struct RunOptions {
  timeoutMs @0 :UInt64;
  # The step fails with DeadlineExceeded after this time; 0: the session's operationTimeoutMs.

  trace @1 :Bool;
  # `metadata` says when each node ran.

  partitionGraphs @2 :Bool;
  # `metadata` has the graph of each device.
}
