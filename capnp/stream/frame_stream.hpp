#pragma once

#include <capnp/serialize-async.h>
#include <kj/async-io.h>
#include <kj/vector.h>

#include <memory>
#include <string>

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/stream/message_memory.hpp"

namespace troupe {

/// The reader options of a connection: they bound a message, and how often its parts may be read.
capnp::ReaderOptions reader_options();

/// Disables Nagle's algorithm, and has the kernel end a connection whose other host has
/// disappeared, within 35 seconds; also one whose reader accepts nothing for 30 seconds while bytes
/// wait to be sent.
void tune_socket(int socket);

/// Cap'n Proto messages over a byte stream, for its two-party network. Unlike the library's own
/// stream it
///   - refuses a frame with an invalid header before any reader sees it (the library's reader, in
///     0.9.2, runs past its buffer there);
///   - limits how much may be read from a message by its size, as otherwise a small message whose
///     pointers all point to one text could be expanded until memory is exhausted;
///   - reads ahead, so that a small message costs one system call;
///   - writes the small messages of one turn of the event loop together;
///   - shares the memory of large messages with tensors.
class FrameStream final : public capnp::MessageStream {
 public:
  /// Large messages get their memory from the allocator. Where it has none left, those of at most
  /// protocol::uncounted_bytes_max are read nevertheless, so that the call can be answered by an
  /// error: its tensors are copied to the allocator's memory, or fail. Larger ones are refused.
  explicit FrameStream(kj::Own<kj::AsyncIoStream> stream, Allocator& allocator = heap_allocator());

  const std::shared_ptr<MessageMemory>& memory() const { return memory_; }
  /// Why a frame from the other end was refused; empty if none was.
  const std::string& fault() const { return fault_; }
  /// Applies from the next message on; initially protocol::message_bytes_max.
  void set_message_bytes_max(uint64_t bytes) { message_bytes_max_ = bytes; }

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fd_space, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch_space) override;
  kj::Promise<void> writeMessage(
      kj::ArrayPtr<const int> fds,
      kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
  kj::Maybe<int> getSendBufferSize() override;
  kj::Promise<void> end() override;

 private:
  using MaybeMessage = kj::Maybe<capnp::MessageReaderAndFds>;
  using Segments = kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>;
  struct Body;

  size_t buffered() const { return end_ - begin_; }
  kj::Promise<bool> fill(size_t bytes);
  kj::Promise<MaybeMessage> read_table(capnp::ReaderOptions options);
  kj::Promise<MaybeMessage> read_body(capnp::ReaderOptions options, size_t segment_count);
  kj::Exception refuse(std::string why);

  void write_soon();
  kj::Promise<void> write_pending();
  kj::Promise<void> write_large(kj::Array<kj::byte> table, Segments segments);

  kj::Own<kj::AsyncIoStream> stream_;
  std::shared_ptr<MessageMemory> memory_;
  std::string fault_;
  uint64_t message_bytes_max_ = protocol::message_bytes_max;

  kj::Array<kj::byte> buffer_;  // read ahead: the bytes from begin_ to end_
  size_t begin_ = 0;
  size_t end_ = 0;

  kj::Vector<kj::byte> pending_;  // small messages, written at the end of the turn
  bool is_write_queued_ = false;
  kj::ForkedPromise<void> last_write_;  // each write follows the one before it
};

}  // namespace troupe
