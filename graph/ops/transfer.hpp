#pragma once

#include <cstdint>

/// The ops that partitioning adds (`passes/partition.hpp`); users cannot add them to a session's
/// graph. A step's feeds enter a partition by _Arg and its fetches leave by _Retval; an edge that
/// crosses from one device to another becomes a _Send there and a _Recv here.
namespace troupe::transfer {

inline constexpr const char* arg = "_Arg";        // attrs T, index (into the step's feeds)
inline constexpr const char* retval = "_Retval";  // attrs T, index (into the step's fetches)
inline constexpr const char* send = "_Send";      // attrs T, edge, to_device
inline constexpr const char* recv = "_Recv";      // attrs tensor_type, edge, from_device,
                                               // tensor_name: what it is in the user's graph

/// What their nodes are called, before the number of the edge. A control edge carries a constant,
/// which the node that it begins at signals.
inline constexpr const char* send_prefix = "_send/";
inline constexpr const char* recv_prefix = "_recv/";
inline constexpr const char* signal_prefix = "_control/";

/// In place of a device, the far end of edges to and from the step's client: the feeds and fetches
/// of a step that is fed and fetched while it runs.
inline constexpr const char* client = "client";

/// The edge of feed or fetch number `index`; those between devices are counted from 0 up.
constexpr int64_t client_edge(int64_t index) { return -1 - index; }
/// The inverse.
constexpr int64_t client_index(int64_t edge) { return -1 - edge; }

}  // namespace troupe::transfer
