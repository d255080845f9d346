@0xa1d5b7c94e6f2380;
# Metadata of a step: part of the answer of run() where its options ask for it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Node;

struct RunMetadata {
  devices @0 :List(DeviceRun);
  # What each device did for the step. After a failure, only the devices that reported in time.

  clock @1 :Text;
  launchedNs @2 :Int64;
  # Which clock the master reads, and when it launched the step by that clock.
}

struct DeviceRun {
  device @0 :Text;

  beginNs @1 :Int64;
  endNs @2 :Int64;
  # By the master's clock, in nanoseconds since it launched the step; the clocks of devices are not
  # synchronised. `endNs` is when the master received that the device was done, `beginNs` an
  # estimate that assumes equal latencies in both directions.

  durationNs @3 :Int64;
  # From the step's start on the device to its end, by the device's own clock.

  memoryPeak @4 :UInt64;
  # Peak of the bytes in use on the device during the step, other steps included; 0 if unknown.

  nodes @5 :List(NodeRun);
  # In the order in which they ended.

  graph @6 :List(Node);
  # The device's partition of the graph, where the options asked for it.

  clock @7 :Text;
  startedNs @8 :Int64;
  # Which clock the device reads, and when the step started there by that clock. The tasks of one
  # host read the same; an empty text is a clock that nobody else reads.
}

struct NodeRun {
  node @0 :Text;
  op @1 :Text;

  beginNs @2 :Int64;
  endNs @3 :Int64;
  # Since the step's start on the device, by the device's own clock.

  thread @4 :UInt32;
  # The thread that started it; numbered from 0 in the order in which they first worked for the
  # step.

  bytes @5 :UInt64;
  # Of its outputs; for a _Send or a _Retval, of its input.

  tensor @6 :Text;
  peer @7 :Text;
  # For a _Send or a _Recv: the tensor ("MatMul:0"), and the device that it went to or came from.
  # For an _Arg: the feed, as the client named it, and "client".

  readyNs @8 :Int64;
  # When its inputs were there; until `beginNs` it waited for a thread.
}

struct StepExplanation {
  # How a session runs a step. Predictions are by measured costs of nodes and links, where there are
  # some, else by a model.

  placement @0 :Text;
  # Of the session's options.

  predictedNs @1 :Int64;
  # Of the whole step.

  devices @2 :List(Device);
  nodes @3 :List(Node);
  # Inputs before their users.

  transfers @4 :List(Transfer);

  struct Device {
    # The partition of one device. Times are sums over its nodes.

    device @0 :Text;
    nodes @1 :UInt64;
    predictedNs @2 :Int64;
    measuredNs @3 :Int64;
    predictedPeak @4 :UInt64;
    measuredPeak @5 :UInt64;
    # Bytes in use at most: of the step's tensors; of the device, in the traced steps.
  }

  struct Node {
    node @0 :Text;
    op @1 :Text;
    device @2 :Text;

    inputs @3 :List(Text);
    # "x:0"; "^x" for the end of x.

    why @4 :Text;
    # Why it is there, as text.

    alternatives @5 :List(Text);
    # The other devices that it could be on.

    beginNs @6 :Int64;
    predictedNs @7 :Int64;
    # In the predicted step.

    measuredNs @8 :Int64;
    measuredSteps @9 :UInt64;
    # The mean over so many traced steps.

    bytes @10 :UInt64;
    # Of its outputs.
  }

  struct Transfer {
    tensor @0 :Text;
    # "x:0", or "^x" for the end of x.

    from @1 :Text;
    to @2 :Text;
    # Devices, or "client".

    bytes @3 :UInt64;
    predictedNs @4 :Int64;

    isLinkMeasured @5 :Bool;
    # Or the prediction is by the default model of a link.
  }
}
