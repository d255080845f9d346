#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// What both ends of the door agree on.
namespace troupe::protocol {

/// Of the schema; goes up with each change that an older client or node would misread.
inline constexpr uint32_t version = 2;

/// A connection that begins with these bytes is for heartbeats, and carries nothing else: each time
/// they come, the node's incarnation goes back, in eight bytes, little-endian. The node answers
/// from a thread that is never busy, so a client can tell a node that computes from one that stands
/// still. (No message begins so: it would have more segments than any may have.)
inline constexpr std::string_view heartbeat = "troupe?\n";

/// A message may be that large, and so may all tensors of one step's feeds or fetches together.
inline constexpr uint64_t message_bytes_max = uint64_t{4} << 30;

/// Cap'n Proto's own readers refuse messages of more segments.
inline constexpr uint64_t message_segments_max = 512;

/// The length of one Data in a tensor; Cap'n Proto's wire format ends at 512 MiB.
inline constexpr size_t chunk_bytes_max = size_t{256} << 20;

}  // namespace troupe::protocol
