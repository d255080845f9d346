#pragma once

#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/serializer.hpp>

#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

/// The most that the tensors of a message between two nodes may have; CAF's length field ends at
/// 4 GiB.
inline constexpr size_t max_message_bytes = size_t{1} << 30;

/// About the bytes that a tensor takes in a message, and never fewer.
size_t wire_bytes(const Tensor& tensor);

// How values of graph/ travel inside CAF messages: numbers little-endian, elements of plain tensors
// as the bytes they are. Reading trusts nothing: what makes no value is an error, which drops the
// message.

template <class Inspector>
auto inspect(Inspector& f, ResourceName& x) {
  return f(caf::meta::type_name("ResourceName"), x.container, x.name);
}
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

template <class Inspector>
auto inspect(Inspector& f, NodeRun& x) {
  return f(
      caf::meta::type_name("NodeRun"), x.node, x.op, x.begin, x.end, x.thread, x.bytes, x.tensor,
      x.peer);
}
/// What the device itself says; the rest is the master's view.
template <class Inspector>
auto inspect(Inspector& f, DeviceRun& x) {
  return f(
      caf::meta::type_name("DeviceRun"), x.device, x.duration, x.memory_peak, x.nodes, x.graph);
}

}  // namespace troupe
