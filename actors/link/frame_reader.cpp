#include "troupe/actors/link/frame_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe {
namespace {

constexpr size_t read_ahead_bytes = 64 << 10;
/// Less of a body is read through the buffer, together with what follows it.
constexpr size_t direct_bytes_min = 16 << 10;

std::byte* bytes_of(uint64_t* words) { return reinterpret_cast<std::byte*>(words); }

}  // namespace

FrameReader::FrameReader(OnFrame on_frame, OnBody on_body)
    : on_frame_(std::move(on_frame)),
      on_body_(std::move(on_body)),
      buffer_(std::make_unique<uint64_t[]>(read_ahead_bytes / 8)),
      capacity_(read_ahead_bytes) {}

std::span<std::byte> FrameReader::space() {
  reads_body_ = !body_.empty() && body_.front().size() >= direct_bytes_min;
  if (reads_body_) return body_.front();
  if (begin_ == end_ && capacity_ > read_ahead_bytes) resize(read_ahead_bytes);
  move_to_front();
  return {bytes_of(buffer_.get()) + end_, capacity_ - end_};
}

void FrameReader::clear() {
  body_.clear();
  has_body_ = reads_body_ = false;
  begin_ = end_ = 0;
}

void FrameReader::move_to_front() {
  if (begin_ == 0) return;
  std::memmove(buffer_.get(), bytes_of(buffer_.get()) + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
}

void FrameReader::resize(size_t bytes) {
  auto buffer = std::make_unique<uint64_t[]>(bytes / 8);
  std::memcpy(buffer.get(), bytes_of(buffer_.get()) + begin_, end_ - begin_);
  buffer_ = std::move(buffer);
  capacity_ = bytes;
  end_ -= std::exchange(begin_, 0);
}

Status FrameReader::received(size_t bytes) {
  if (reads_body_) {
    body_.front() = body_.front().subspan(bytes);
    if (body_.front().empty()) body_.pop_front();
    if (auto status = finish_body(); !status.ok()) return status;
  } else {
    end_ += bytes;
  }
  return handle_buffered();
}

void FrameReader::fill_body_from_buffer() {
  while (!body_.empty() && begin_ < end_) {
    auto& to = body_.front();
    auto size = std::min(to.size(), end_ - begin_);
    std::memcpy(to.data(), bytes_of(buffer_.get()) + begin_, size);
    begin_ += size;
    to = to.subspan(size);
    if (to.empty()) body_.pop_front();
  }
}

Status FrameReader::finish_body() {
  if (!has_body_ || !body_.empty()) return {};
  has_body_ = false;
  return on_body_();
}

Status FrameReader::handle_buffered() {
  for (;;) {
    if (has_body_) {
      fill_body_from_buffer();
      if (!body_.empty()) return {};
      if (auto status = finish_body(); !status.ok()) return status;
    }
    if (end_ - begin_ < sizeof(uint64_t)) return {};
    if (begin_ % 8 != 0) move_to_front();
    std::span buffered(bytes_of(buffer_.get()) + begin_, end_ - begin_);
    auto size = frame_size(buffered.first(buffered.size() / 8 * 8));
    if (size > frame_bytes_max_) return invalid_argument("a frame that is too large");
    if (size > buffered.size()) {
      if (size > capacity_) resize(size);
      return {};
    }
    auto frame = decode(buffered.first(size));
    if (!frame) return frame.status();
    begin_ += size;
    if (auto status = on_frame_(*std::move(frame), body_); !status.ok()) return status;
    std::erase_if(body_, [](const auto& span) { return span.empty(); });
    has_body_ = !body_.empty();
  }
}

}  // namespace troupe
