#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/tensor_source.hpp"
#include "troupe/graph/attr.hpp"
#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"
#include "troupe_schema/graph.capnp.h"
#include "troupe_schema/master.capnp.h"
#include "troupe_schema/session.capnp.h"
#include "troupe_schema/status.capnp.h"
#include "troupe_schema/tensor.capnp.h"

/// The schema's structs and our values, both ways; nothing else knows both. fill() writes a value
/// into a message. The to_x() functions trust nothing in a message: what is wrong in it comes back
/// as InvalidArgument, and no exception leaves them.
namespace troupe {

void fill(rpc::Status::Builder to, const Status& status);
/// An unknown code is InvalidArgument, with the peer's words.
Status to_status(rpc::Status::Reader from);

void fill(rpc::Shape::Builder to, const Shape& shape);
Result<Shape> to_shape(rpc::Shape::Reader from);

/// A large tensor's memory is lent to the message where `lender` allows it. The tensor must be set.
void fill(rpc::Tensor::Builder to, const Tensor& tensor, Lender& lender);
/// A large tensor shares the memory of its message where `intake` has it. One that comes with a
/// source is left to `intake` to be read; without an intake it is refused.
Result<Tensor> to_tensor(rpc::Tensor::Reader from, Intake* intake = nullptr);

/// Fails where those tensors do not fit into one message, but for what may go as sources, or may
/// not leave their device.
Status check_sendable(const Tensors& tensors, bool takes_sources);
/// For the values of a step, of which an end that takes sources gets some so.
Lender lend_values(MessageMemory& memory);
void fill(capnp::List<rpc::Tensor>::Builder to, const Tensors& tensors, Lender& lender);
Result<Tensors> to_tensors(capnp::List<rpc::Tensor>::Reader from, Intake* intake = nullptr);

void fill(rpc::AttrValue::Builder to, const AttrValue& value, Lender& lender);
Result<AttrValue> to_attr_value(rpc::AttrValue::Reader from);

void fill(rpc::Node::Builder to, const NodeDef& node, Lender& lender);
Result<NodeDef> to_node_def(rpc::Node::Reader from);
Result<std::vector<NodeDef>> to_node_defs(capnp::List<rpc::Node>::Reader from);

/// Ten years at most.
Result<std::chrono::milliseconds> to_timeout(uint64_t milliseconds);

using Feeds = std::vector<std::pair<std::string, Tensor>>;
Result<Feeds> to_feeds(capnp::List<rpc::Feed>::Reader from, Intake* intake = nullptr);

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
