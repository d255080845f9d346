#pragma once

#include <string_view>

#include "troupe/graph/op.hpp"

/// The ops of queues. A queue is a resource; its older ops name it by a reference of dtype string,
/// the newer ones (V2) by a handle. Both work on the same queues.
namespace troupe::queue {

/// Attribute of a node that makes a queue, an integer, which TensorFlow does not have: the most
/// bytes that its elements may have together. An enqueue waits while they have more, unless the
/// queue is empty. 0, or without the attribute: no such limit.
inline constexpr const char* capacity_bytes_attr = "_capacity_bytes";

}  // namespace troupe::queue
