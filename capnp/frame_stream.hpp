#pragma once

#include <capnp/serialize-async.h>
#include <kj/async-io.h>
#include <kj/vector.h>

#include <memory>
#include <string>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/protocol.hpp"

namespace troupe {

/// What a connection's readers accept: the bound on a message, and on reading its parts repeatedly.
capnp::ReaderOptions reader_options();

/// Turns off the delaying of small packets, and has the kernel end a connection whose other host is
/// not there any more, within 35 seconds; also one whose reader takes nothing for 30 seconds while
/// bytes wait for it.
void tune_socket(int socket);

/// Cap'n Proto's messages over a byte stream, as its two-party network asks for them. Other than
/// the library's own stream it
///   - refuses a frame with a header that cannot be right before any reader sees it (the one of
///     0.9.2 runs past its buffer there);
///   - lets a message be read no more often than its size allows for, or a small one whose pointers
///     all lead to one text would fill the memory;
///   - reads ahead, so that a small message costs one system call;
///   - writes the small messages of one turn of the event loop together;
///   - shares the memory of large messages with tensors.
class FrameStream final : public capnp::MessageStream {
 public:
  explicit FrameStream(kj::Own<kj::AsyncIoStream> stream);

  const std::shared_ptr<MessageMemory>& memory() const { return memory_; }
  /// Why a frame of the other end was refused; empty where none was.
  const std::string& fault() const { return fault_; }
  /// From the next message on; at first protocol::message_bytes_max.
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
  std::shared_ptr<MessageMemory> memory_ = std::make_shared<MessageMemory>();
  std::string fault_;
  uint64_t message_bytes_max_ = protocol::message_bytes_max;

  kj::Array<kj::byte> buffer_;  // read ahead: the bytes from begin_ to end_
  size_t begin_ = 0;
  size_t end_ = 0;

  kj::Vector<kj::byte> pending_;  // small messages that wait for the end of the turn
  bool is_write_queued_ = false;
  kj::ForkedPromise<void> last_write_;  // each write follows the one before it
};

}  // namespace troupe
