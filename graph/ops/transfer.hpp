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
                                               // tensor_name: the output in the user's graph
inline constexpr const char* read = "_ReadReference";  // attr T; gives the value

/// Prefixes of the names of their nodes, before the number of the edge. A control edge carries a
/// constant that runs after the source node.
inline constexpr const char* send_prefix = "_send/";
inline constexpr const char* recv_prefix = "_recv/";
inline constexpr const char* read_prefix = "_read/";
/// What has come by a Switch or an Enter, for a read to wait for.
inline constexpr const char* passed_on_prefix = "_passed_on/";
inline constexpr const char* signal_prefix = "_control/";
/// Before the number of a partition's feed.
inline constexpr const char* arg_prefix = "_arg/";

/// Stands for the step's client in place of a device name: the other end of the edges that carry
/// the feeds and fetches of a partial run.
inline constexpr const char* client = "client";

/// The edge of feed or fetch number `index`; those between devices are counted from 0 up.
constexpr int64_t client_edge(int64_t index) { return -1 - index; }
/// The inverse.
constexpr int64_t client_index(int64_t edge) { return -1 - edge; }

}  // namespace troupe::transfer
