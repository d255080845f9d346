#pragma once

/// The ops that partitioning adds (`passes/partition.hpp`); users cannot add them to a session's
/// graph. A step's feeds enter a partition by _Arg and its fetches leave by _Retval; an edge that
/// crosses from one device to another becomes a _Send there and a _Recv here.
namespace troupe::transfer {

inline constexpr const char* arg = "_Arg";        // attrs T, index (into the step's feeds)
inline constexpr const char* retval = "_Retval";  // attrs T, index (into the step's fetches)
inline constexpr const char* send = "_Send";      // attrs T, edge, to_device
inline constexpr const char* recv = "_Recv";      // attrs tensor_type, edge, from_device,
                                               // tensor_name: what it is in the user's graph

}  // namespace troupe::transfer
