#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// What both ends of the door agree on.
namespace troupe::protocol {

/// Of the schema, as this release speaks it. It goes up with a change of what a call means that its
/// fields do not show. New fields, methods, members of unions and enumerators raise nothing: an
/// older reader takes the default for a field it does not know, and answers Unimplemented to the
/// method and InvalidArgument to the value.
inline constexpr uint32_t version = 3;

/// From that version on, a tensor may come as a TensorSource.
inline constexpr uint32_t sources_version = 3;

/// The clients that a node takes: of this version or any later one. It goes up, to the version of
/// that change, when what older clients say would be misread.
inline constexpr uint32_t oldest_version = 2;

/// A connection that begins with these bytes is for heartbeats, and carries nothing else: each time
/// they come, the node's incarnation goes back, in eight bytes, little-endian. The node answers
/// from a thread that is never busy, so a client can tell a node that computes from one that stands
/// still. (No message begins so: it would have more segments than any may have.)
inline constexpr std::string_view heartbeat = "troupe?\n";

inline constexpr uint64_t message_bytes_max = uint64_t{4} << 30;

/// What the tensors of one step's feeds or fetches have beyond that goes as TensorSources, to those
/// who know them.
inline constexpr uint64_t values_bytes_max = uint64_t{32} << 20;

/// So much may be read from the sources of one connection at a time.
inline constexpr uint64_t awaited_bytes_max = uint64_t{64} << 30;

/// Until login() or join() lets a connection in, its messages may be that large, and it has so long
/// for them.
inline constexpr uint64_t first_message_bytes_max = uint64_t{64} << 10;
inline constexpr std::chrono::seconds login_time{10};

/// So many calls of one connection may be under way, until their answers are taken and they are
/// finished; one more ends the connection.
inline constexpr uint32_t calls_max = 4096;

/// Cap'n Proto's own readers refuse messages of more segments.
inline constexpr uint64_t message_segments_max = 512;

/// The length of one Data in a tensor; Cap'n Proto's wire format ends at 512 MiB.
inline constexpr size_t chunk_bytes_max = size_t{256} << 20;

}  // namespace troupe::protocol
