@0xcee3dae863e98187;
# A graph on a cluster, and steps of it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Node;
using import "metadata.capnp".RunMetadata;
using import "status.capnp".Status;
using import "tensor.capnp".Tensor;

interface Session {
  # A client's graph. Dropping the last reference closes the session, so one whose client dies or
  # loses its connection closes by itself. Variables and queues live on in their containers.

  extend @0 (nodes :List(Node), expectedSize :UInt64) -> (status :Status);
  # Adds nodes to the graph: all of them, or none and an error that names the first bad one.
  # `expectedSize` is the number of nodes that the graph must have before.
  #
  # Aborted: it has another (two clients extend one session). InvalidArgument: a node is not as
  # graph.capnp asks, or its op does not take such inputs or attributes. NotFound: there is no such
  # op, or no such node to take an input from. FailedPrecondition: the session is closed.

  run @1 (feeds :List(Feed), fetches :List(Text), targets :List(Text), options :RunOptions)
      -> StepAnswer;
  # Runs one step: all that the fetches and targets need, with the feeds in place of the outputs
  # that they name. A fetch or feed is "node:0" or "node"; a target is "node". Several steps may run
  # at once, and answer as they end. Dropping the call before its answer cancels the step.
  #
  # InvalidArgument: a feed, fetch or target is wrong, an op does not take its inputs, or no device
  # is such as a node wishes for. NotFound: the graph has no such feed, fetch or target.
  # Unimplemented: no device that fits has a kernel for an op. DeadlineExceeded: the timeout has
  # passed. Unavailable: a task that the step needs is lost or out of reach, or this node drains.
  # ResourceExhausted: a device's memory, or the 4 GiB of the answer, do not suffice. Cancelled: the
  # session was closed meanwhile. Aborted: a task restarted, or its state was reset.
  # FailedPrecondition: the session is closed, a variable has no value yet, or a node wishes to run
  # elsewhere than what it takes from a container lives. Others are those of the ops. The session
  # can be used on after all but its own end.

  close @2 () -> (status :Status);
  # Cancels the running steps and frees what the session holds; always ok. Calls after it answer
  # FailedPrecondition, but another close, which has nothing left to do.

  makeCallable @3 (feeds :List(Text), fetches :List(Text), targets :List(Text),
                   options :RunOptions) -> (status :Status, callable :Callable);
  # Compiles a step for many runs. There is a callable only where the status is ok; calls of it may
  # be sent before the answer is there. Of the options, only the timeout matters here. The errors
  # are those of run().

  setUpPartialRun @4 (feeds :List(Text), fetches :List(Text), targets :List(Text),
                      options :RunOptions) -> (status :Status, partialRun :PartialRun);
  # Compiles and starts a step of which every feed and fetch is given and taken once, by calls of
  # the answer. The timeout is that of the whole step. The errors are those of run().
}

interface Callable {
  # A step that is compiled and stays so until the last reference is dropped.

  run @0 (feeds :List(Tensor), options :RunOptions) -> StepAnswer;
  # A step with a value for each feed of the callable, in their order. As Session.run; another
  # number of feeds is InvalidArgument.
}

interface PartialRun {
  # A step that is fed and fetched while it runs. Dropping the last reference cancels it.

  run @0 (feeds :List(Feed), fetches :List(Text)) -> StepAnswer;
  # Gives the step these feeds and waits for these fetches; the call that gives the last feed and
  # asks for the last fetch waits for the targets, too. InvalidArgument leaves the step as it was: a
  # feed or fetch that was not set up, or not for the first time, or a fetch that needs a feed which
  # was not given yet. Any other error is the step's, and the answer to all later calls.
}

struct SessionOptions {
  # What holds for one session, all its life. What has no effect comes back as a warning.

  operationTimeoutMs @0 :UInt64;
  # For each step that has no timeout of its own; 0: none.

  logDevicePlacement @1 :Bool;
  # The master's log says on which device each node runs.

  deviceFilters @2 :List(Text);
  # The session uses no devices but those of its master and those that match one of these
  # ("/job:ps", "/job:worker/task:1"); none: all.

  isolateState @3 :Bool;
  # The session's variables are its own, and end with it.

  threads @4 :UInt32;
  memoryLimit @5 :UInt64;
  # Only a server can be told these, when it starts.
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
  # The step ends with DeadlineExceeded after so many milliseconds; 0: as the session's options say.

  trace @1 :Bool;
  # `metadata` says when each node ran.

  partitionGraphs @2 :Bool;
  # `metadata` has the graph of each device.
}
