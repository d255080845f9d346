#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/serializer.hpp>

#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/place/op_set.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// A field of a message that holds the handle of an actor.
struct HandleField {
  caf::strong_actor_ptr& actor;
};

/// An upper bound of the bytes that a tensor takes in a message, close to the actual number.
size_t wire_bytes(const Tensor& tensor);

// The serialization of values of graph/ in CAF messages: numbers are little-endian, elements of
// plain tensors are copied as bytes, or where they are many sent out of band, after the content
// (WireContext). Reading validates everything: bytes that make no valid value are an error.

template <class Inspector>
auto inspect(Inspector& f, HandleField& x) {
  return f(x.actor);
}
caf::error inspect(caf::serializer& sink, HandleField& value);
caf::error inspect(caf::deserializer& source, HandleField& value);

template <class Inspector>
auto inspect(Inspector& f, ResourceName& x) {
  return f(caf::meta::type_name("ResourceName"), x.container, x.name);
}
template <class Inspector>
auto inspect(Inspector& f, QueueWaiter& x) {
  return f(caf::meta::type_name("QueueWaiter"), x.node, x.age);
}
caf::error inspect(caf::serializer& sink, OpSet& value);
caf::error inspect(caf::deserializer& source, OpSet& value);
caf::error inspect(caf::serializer& sink, ClusterSpec& value);
caf::error inspect(caf::deserializer& source, ClusterSpec& value);
caf::error inspect(caf::serializer& sink, ListedResource& value);
caf::error inspect(caf::deserializer& source, ListedResource& value);
caf::error inspect(caf::serializer& sink, Status& value);
caf::error inspect(caf::deserializer& source, Status& value);
caf::error inspect(caf::serializer& sink, Wait& value);
caf::error inspect(caf::deserializer& source, Wait& value);
caf::error inspect(caf::serializer& sink, Tensor& value);
caf::error inspect(caf::deserializer& source, Tensor& value);
caf::error inspect(caf::serializer& sink, NodeDef& value);
caf::error inspect(caf::deserializer& source, NodeDef& value);
caf::error inspect(caf::serializer& sink, FunctionDef& value);
caf::error inspect(caf::deserializer& source, FunctionDef& value);

template <class Inspector>
auto inspect(Inspector& f, NodeRun& x) {
  return f(
      caf::meta::type_name("NodeRun"), x.node, x.op, x.ready, x.begin, x.end, x.thread, x.bytes,
      x.tensor, x.peer);
}
/// Only the fields that the device fills in; the master fills in the others.
template <class Inspector>
auto inspect(Inspector& f, DeviceRun& x) {
  return f(
      caf::meta::type_name("DeviceRun"), x.device, x.duration, x.clock, x.started, x.memory_peak,
      x.nodes, x.graph);
}

}  // namespace troupe
