#pragma once

#include <string_view>

namespace troupe::functional {

inline constexpr const char* call = "PartitionedCall";
inline constexpr const char* stateful_call = "StatefulPartitionedCall";
inline bool is_call(std::string_view op) { return op == call || op == stateful_call; }

/// Attribute of a call that computes a gradient: the call beside it whose gradient that is. Nodes
/// of its function that have `forward_node_attr` are those of that call, by the names they have in
/// that call's function; they do not run again.
inline constexpr const char* forward_call_attr = "_forward_call";
inline constexpr const char* forward_node_attr = "_forward_node";

}  // namespace troupe::functional
