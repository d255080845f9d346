#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "troupe/actors/link/frame.hpp"

namespace troupe {

/// Cuts the bytes of a link into frames. The bytes that follow a frame go where the receiver of the
/// frame wants them: read from the stream straight into that memory, if they are many.
class FrameReader {
 public:
  using Spans = std::deque<std::span<std::byte>>;  // filled in their order
  /// Handles a frame. What it puts into `body` is filled with the bytes that follow the frame, and
  /// then on_body is called.
  using OnFrame = std::function<Status(Frame frame, Spans& body)>;
  using OnBody = std::function<Status()>;

  FrameReader(OnFrame on_frame, OnBody on_body);

  /// Where the next bytes are to be read to; never empty.
  std::span<std::byte> space();
  /// Handles the frames that are complete with so many bytes at the beginning of the last space().
  /// InvalidArgument: they are no frames; nothing more must be read.
  Status received(size_t bytes);
  /// Forgets what was received in part.
  void clear();
  /// The limit of a frame from now on; at first frame_bytes_before_open.
  void set_frame_bytes_max(uint64_t bytes) { frame_bytes_max_ = bytes; }

 private:
  void move_to_front();
  void resize(size_t bytes);
  Status handle_buffered();
  Status finish_body();
  void fill_body_from_buffer();

  OnFrame on_frame_;
  OnBody on_body_;
  std::unique_ptr<uint64_t[]> buffer_;  // aligned to 8
  size_t capacity_;
  size_t begin_ = 0;  // buffered are the bytes from begin_ to end_
  size_t end_ = 0;
  Spans body_;
  uint64_t frame_bytes_max_ = link_limits::frame_bytes_before_open;
  bool has_body_ = false;
  bool reads_body_ = false;  // the last space() was memory of the body
};

}  // namespace troupe
