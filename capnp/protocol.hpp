#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Versions and limits of the protocol between clients and nodes.
namespace troupe::protocol {

/// The version of the schema that this release implements. It is raised when the meaning of a call
/// changes without a change of its fields. New fields, methods, union members and enumerators do
/// not raise it: an older reader uses the default for a field it does not know, and answers
/// Unimplemented to an unknown method and InvalidArgument to an unknown value.
inline constexpr uint32_t version = 3;

/// From this version on, a tensor may be sent as a TensorSource.
inline constexpr uint32_t sources_version = 3;

/// The oldest version of a client that a node accepts. It is raised, to the version of that change,
/// when messages of older clients would be misinterpreted.
inline constexpr uint32_t oldest_version = 2;

/// A heartbeat request. A connection that begins with it carries only heartbeats: to each request
/// the node answers with its incarnation, eight bytes, little-endian. It answers on a thread that
/// does nothing else, so that a client can tell a busy node from one that hangs. (No Cap'n Proto
/// frame begins with these bytes: its number of segments would be over the limit.)
inline constexpr std::string_view heartbeat = "troupe?\n";

/// A connection that begins with it is a link between two nodes, see link.capnp. (As long as
/// `heartbeat`.)
inline constexpr std::string_view link = "troupe=\n";

/// The limit of a message.
inline constexpr uint64_t message_bytes_max = uint64_t{4} << 30;

/// The limit of the tensor bytes that a message holds of a step's feeds or fetches. Tensors beyond
/// it are sent as TensorSources, if the other end accepts those.
inline constexpr uint64_t values_bytes_max = uint64_t{32} << 20;

/// A larger message is read only where the node's memory limit has room for it.
inline constexpr uint64_t uncounted_bytes_max = 2 * values_bytes_max;

/// The limit of the bytes that are still to be read from the TensorSources of one connection.
inline constexpr uint64_t pending_source_bytes_max = uint64_t{64} << 30;

/// The limit of a message until login() succeeds or join() is called, and the time for that after
/// the connection was accepted.
inline constexpr uint64_t login_message_bytes_max = uint64_t{64} << 10;
inline constexpr std::chrono::seconds login_time{10};

/// The limit of the calls of one connection in progress: not answered, or not finished (released)
/// by the client. One more ends the connection.
inline constexpr uint32_t calls_max = 4096;

/// The limit of Cap'n Proto's own readers.
inline constexpr uint64_t message_segments_max = 512;

/// The limit of one Data of a tensor; Cap'n Proto's wire format allows 512 MiB.
inline constexpr size_t chunk_bytes_max = size_t{256} << 20;

}  // namespace troupe::protocol
