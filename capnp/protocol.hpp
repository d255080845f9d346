#pragma once

#include <cstddef>
#include <cstdint>

/// What both ends of the door agree on.
namespace troupe::protocol {

/// Of the schema; goes up with each change that an older client or node would misread.
inline constexpr uint32_t version = 1;

/// A message may be that large, and so may all tensors of one step's feeds or fetches together.
inline constexpr uint64_t message_bytes_max = uint64_t{4} << 30;

/// Cap'n Proto's own readers refuse messages of more segments.
inline constexpr uint64_t message_segments_max = 512;

/// The length of one Data in a tensor; Cap'n Proto's wire format ends at 512 MiB.
inline constexpr size_t chunk_bytes_max = size_t{256} << 20;

}  // namespace troupe::protocol
