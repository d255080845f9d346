@0xcee3dae863e98187;
# A graph on a cluster, and steps of it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Node;
using import "status.capnp".Status;
using import "tensor.capnp".Tensor;

interface Session {
  # A client's graph. Dropping the last reference closes the session, so one whose client dies or
  # loses its connection closes by itself. Variables and queues live on in their containers.

  extend @0 (nodes :List(Node), expectedSize :UInt64) -> (status :Status);
  # Adds nodes to the graph: all of them, or none and an error that names the first bad one.
  # `expectedSize` is the number of nodes that the graph must have before; if it has another (two
  # clients extend one session), the answer is Aborted.

  run @1 (feeds :List(Feed), fetches :List(Text), targets :List(Text), options :RunOptions)
      -> (status :Status, values :List(Tensor));
  # Runs one step: all that the fetches and targets need, with the feeds in place of the outputs
  # that they name. `values` has a tensor for each fetch, in order; it is empty after an error.
  # A fetch or feed is "node:0" or "node"; a target is "node". Several steps may run at once.
  # Dropping the call before its answer cancels the step.

  close @2 () -> (status :Status);
  # Cancels the running steps and frees what the session holds. Calls after it answer
  # FailedPrecondition, but another close, which has nothing left to do.
}

struct Feed {
  output @0 :Text;
  # The output that the value replaces: "node:0" or "node".

  value @1 :Tensor;
}

struct RunOptions {
  timeoutMs @0 :UInt64;
  # The step ends with DeadlineExceeded after so many milliseconds; 0: never.
}
