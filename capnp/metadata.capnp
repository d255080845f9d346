@0xa1d5b7c94e6f2380;
# Metadata of a step: part of the answer of run() where its options ask for it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Node;

struct RunMetadata {
  devices @0 :List(DeviceRun);
  # What each device did for the step. After a failure, only the devices that reported in time.
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
}
