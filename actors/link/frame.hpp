#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "troupe/devices/accelerator/peer_memory.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Limits of the protocol of capnp/link.capnp.
namespace link_limits {

/// A message of more bytes must be announced, and sent in pieces when it is granted.
inline constexpr uint64_t inline_bytes_max = uint64_t{1} << 20;
inline constexpr uint32_t piece_bytes_max = uint32_t{1} << 20;
/// Of a frame without the bytes that follow it, and before the link is open.
inline constexpr uint64_t frame_bytes_max = uint64_t{8} << 20;
inline constexpr uint64_t frame_bytes_before_open = 4096;
inline constexpr uint32_t frame_segments_max = 512;
/// Links of one node that are not open yet.
inline constexpr size_t unopened_max = 1024;
inline constexpr uint64_t content_bytes_max = uint64_t{16} << 30;
/// Announced and not granted.
inline constexpr size_t announced_max = 65536;
inline constexpr size_t announced_tensors_max = 4'000'000;
/// While a sender has so much to write, it announces all but small messages.
inline constexpr uint64_t backlog_bytes_max = uint64_t{64} << 20;
inline constexpr uint64_t small_bytes_max = uint64_t{64} << 10;
/// Of frames that wait to be written, without those of messages in pieces. A peer that reads so
/// little that there are more is lost.
inline constexpr uint64_t unwritten_bytes_max = uint64_t{2} << 30;
/// Descriptors that pass with a frame.
inline constexpr size_t descriptors_max = 2;
/// Of cards' memory that one end shares with the other. Tensors of further ones are sent.
inline constexpr uint64_t regions_max = 256;

}  // namespace link_limits

/// What an end chooses for itself. The defaults are for networks; a simulation takes smaller ones,
/// so that small messages need grants and pieces.
struct LinkSizes {
  uint64_t inline_bytes = link_limits::inline_bytes_max;  // a message of more is announced
  uint32_t piece_bytes = link_limits::piece_bytes_max;
  size_t announced_at_once = 4096;  // further ones wait to be announced
  /// Granted to the peer and not received; one message of any size is granted in any case.
  uint64_t granted_bytes = uint64_t{1} << 30;
  /// A message that its receiver may be given in part is given whole if it has less.
  uint64_t in_part_bytes_min = uint64_t{8} << 20;
};

/// The identity of a process, random bytes: another one after a restart.
using ProcessIdentity = std::string;
inline constexpr size_t process_identity_bytes = 24;

// The frames of a link, as in capnp/link.capnp.

struct HelloFrame {
  uint32_t version = 0;
  ProcessIdentity node;
  uint64_t root_actor = 0;
  uint64_t lost_link = 0;
};
struct WelcomeFrame {
  ProcessIdentity node;
  uint64_t root_actor = 0;
  uint64_t link = 0;
};
struct RefusedFrame {
  ProcessIdentity node;
  Status status;  // ok where a link exists
  uint64_t link = 0;
};
struct ConfirmFrame {};
/// A tensor that stays in the memory of the sender, which the receiver has mapped or opened.
struct LentTensor {
  uint32_t tensor = 0;  // its index in MessageFrame::tensor_bytes
  uint64_t offset = 0;
  uint64_t number = 0;
  uint64_t region = 0;  // of a card; 0: the file
};
struct MessageFrame {
  uint64_t target = 0;
  uint64_t sender = 0;
  uint64_t id = 0;
  uint64_t transfer = 0;  // 0: the bytes follow
  uint64_t content_bytes = 0;
  std::vector<uint64_t> tensor_bytes;
  std::vector<LentTensor> lent = {};  // by growing index
  bool in_part = false;               // it is given to its receiver while its tensors arrive

  /// Those that are sent: without lent tensors and padding. Reading a frame checks that the sum has
  /// no overflow.
  uint64_t bytes() const;
};
struct GrantFrame {
  uint64_t transfer = 0;
};
struct PieceFrame {
  uint64_t transfer = 0;
  uint32_t bytes = 0;
};
struct WithdrawnFrame {
  uint64_t transfer = 0;
};
struct MemoryFrame {
  uint64_t bytes = 0;
};
struct MappedFrame {};
struct ReturnedFrame {
  uint64_t number = 0;
};
struct RegionFrame {
  uint64_t number = 0;
  accelerator::RegionName name = {};
};
struct OpenedFrame {
  uint64_t number = 0;
};
struct EndedFrame {
  uint64_t actor = 0;
};
struct CloseFrame {
  std::string why;
};

using Frame = std::variant<
    HelloFrame, WelcomeFrame, RefusedFrame, ConfirmFrame, MessageFrame, GrantFrame, PieceFrame,
    WithdrawnFrame, EndedFrame, CloseFrame, MemoryFrame, MappedFrame, ReturnedFrame, RegionFrame,
    OpenedFrame>;

/// Bytes to be written, and what keeps them in memory meanwhile.
struct WireSlice {
  const void* data;
  size_t size;
  std::shared_ptr<const void> owner;
  std::vector<int> descriptors = {};  // that are passed with them
};

/// The padding after so many bytes, up to a multiple of 8.
inline size_t padding_of(uint64_t bytes) { return static_cast<size_t>(-bytes & 7); }

WireSlice encode(const Frame& frame);
/// Zeros: at most 7.
WireSlice padding_slice(size_t size);

/// The size of the frame that begins with those bytes, or a lower bound that is greater than
/// bytes.size(); more than any limit if it has more segments than frame_segments_max. `bytes` is
/// aligned to 8.
size_t frame_size(std::span<const std::byte> bytes);
/// `bytes` is a whole frame and aligned to 8. InvalidArgument: it is none, or breaks a limit.
Result<Frame> decode(std::span<const std::byte> bytes);

}  // namespace troupe
