@0xa1d5b7c94e6f2380;
# How a step went: part of the answer of run(), where its options ask for it. No method takes it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "graph.capnp".Node;

struct RunMetadata {
  devices @0 :List(DeviceRun);
  # What each device did for the step; of one that failed, those that told in time.
}

struct DeviceRun {
  device @0 :Text;

  beginNs @1 :Int64;
  endNs @2 :Int64;
  # The master's view, in nanoseconds since it launched the step. Devices' clocks know nothing of
  # each other, so this puts them on one axis: `endNs` is when the master heard that the device was
  # done, `beginNs` an estimate that takes the ways there and back for equally long.

  durationNs @3 :Int64;
  # From the step's start on the device to its end, by the device's own clock.

  memoryPeak @4 :UInt64;
  # Bytes in use there while the step ran, those of other steps included; 0 where it is not known.

  nodes @5 :List(NodeRun);
  # In the order in which they ended.

  graph @6 :List(Node);
  # The device's part of the step, where the options asked for it.
}

struct NodeRun {
  node @0 :Text;
  op @1 :Text;

  beginNs @2 :Int64;
  endNs @3 :Int64;
  # Since the step's start on the device, by the device's own clock.

  thread @4 :UInt32;
  # Where it began, counted from 0 in the order in which threads came to work for the step.

  bytes @5 :UInt64;
  # Of its outputs; of a _Send or a _Retval, of what it gave away.

  tensor @6 :Text;
  peer @7 :Text;
  # What a _Send or a _Recv moved ("MatMul:0"), and the device that it went to or came from.
}
