#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "troupe/capnp/stream/message_memory.hpp"
#include "troupe/capnp/stream/tensor_source.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/attr.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"
#include "troupe_schema/graph.capnp.h"
#include "troupe_schema/master.capnp.h"
#include "troupe_schema/session.capnp.h"
#include "troupe_schema/status.capnp.h"
#include "troupe_schema/tensor.capnp.h"

/// Conversions between the schema's structs and the runtime's types. fill() writes a value into a
/// message. The to_x() functions validate what they read: a malformed message gives
/// InvalidArgument, and they throw nothing.
namespace troupe {

void fill(rpc::Status::Builder to, const Status& status);
/// An unknown code becomes InvalidArgument with the peer's message.
Status to_status(rpc::Status::Reader from);

void fill(rpc::Shape::Builder to, const Shape& shape);
Result<Shape> to_shape(rpc::Shape::Reader from);

/// The message references the memory of a large tensor where `segment_budget` allows it. The tensor
/// must be set.
void fill(rpc::Tensor::Builder to, const Tensor& tensor, ExternalSegmentBudget& segment_budget);
/// A large tensor shares the memory of its message if `deferred` has that memory. A tensor that
/// comes as a TensorSource is added to `deferred`, to be read later; without `deferred` it is
/// refused.
Result<Tensor> to_tensor(rpc::Tensor::Reader from, DeferredTensors* deferred = nullptr);

/// An error where a tensor is a resource handle, or where the tensors, without those that can be
/// sent as TensorSources, do not fit into one message.
Status check_sendable(const Tensors& tensors, bool takes_sources);
/// The budget for the values of a step; limited if the other end accepts TensorSources.
ExternalSegmentBudget segment_budget_for_values(MessageMemory& memory);
void fill(
    capnp::List<rpc::Tensor>::Builder to, const Tensors& tensors,
    ExternalSegmentBudget& segment_budget);
Result<Tensors> to_tensors(
    capnp::List<rpc::Tensor>::Reader from, DeferredTensors* deferred = nullptr);

void fill(
    rpc::AttrValue::Builder to, const AttrValue& value, ExternalSegmentBudget& segment_budget);
Result<AttrValue> to_attr_value(rpc::AttrValue::Reader from);

void fill(rpc::Node::Builder to, const NodeDef& node, ExternalSegmentBudget& segment_budget);
Result<NodeDef> to_node_def(rpc::Node::Reader from);
Result<std::vector<NodeDef>> to_node_defs(capnp::List<rpc::Node>::Reader from);

void fill(
    capnp::List<rpc::Function>::Builder to, const std::vector<FunctionDef>& functions,
    ExternalSegmentBudget& segment_budget);
Result<std::vector<FunctionDef>> to_function_defs(capnp::List<rpc::Function>::Reader from);

/// A graph as it is sent.
struct GraphMessage {
  std::vector<NodeDef> nodes;
  std::vector<FunctionDef> functions;
};
Result<GraphMessage> to_graph(rpc::Graph::Reader from);

/// InvalidArgument where it is longer than ten years.
Result<std::chrono::milliseconds> to_timeout(uint64_t milliseconds);

using Feeds = std::vector<std::pair<std::string, Tensor>>;
Result<Feeds> to_feeds(capnp::List<rpc::Feed>::Reader from, DeferredTensors* deferred = nullptr);

void fill(capnp::List<capnp::Text>::Builder to, const std::vector<std::string>& texts);
Result<std::vector<std::string>> to_texts(capnp::List<capnp::Text>::Reader from);

void fill(rpc::Cluster::Builder to, const ClusterSpec& cluster);
Result<ClusterSpec> to_cluster(rpc::Cluster::Reader from);

void fill(rpc::Master::ListDevicesResults::Builder to, const DeviceList& list);
Result<DeviceList> to_device_list(rpc::Master::ListDevicesResults::Reader from);

void fill(capnp::List<rpc::WaitingStep>::Builder to, const std::vector<WaitingStep>& steps);
Result<std::vector<WaitingStep>> to_waiting_steps(capnp::List<rpc::WaitingStep>::Reader from);

void fill(rpc::NodeInfo::Builder to, const NodeInfo& info);
Result<NodeInfo> to_node_info(rpc::NodeInfo::Reader from);

}  // namespace troupe
