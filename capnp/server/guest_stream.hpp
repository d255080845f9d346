#pragma once

#include <capnp/serialize-async.h>
#include <kj/async.h>

#include <string>

#include "troupe/capnp/frame_stream.hpp"

namespace troupe {

/// The messages of a guest, who may mean harm. Ends the connection of one that sends large ones
/// before it is let in, or has more than protocol::calls_max calls under way; and reads no further
/// from one that asks for more while it takes no answers.
class GuestStream final : public capnp::MessageStream {
 public:
  /// `stream` must outlive it.
  explicit GuestStream(FrameStream& stream);

  void let_in();
  bool is_in() const { return is_in_; }
  /// Why the guest was sent away; empty where it was not.
  const std::string& fault() const { return fault_.empty() ? stream_.fault() : fault_; }

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fd_space, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch_space) override;
  kj::Promise<void> writeMessage(
      kj::ArrayPtr<const int> fds,
      kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
  kj::Maybe<int> getSendBufferSize() override { return stream_.getSendBufferSize(); }
  kj::Promise<void> end() override { return stream_.end(); }

 private:
  using MaybeMessage = kj::Maybe<capnp::MessageReaderAndFds>;

  kj::Promise<void> turn_to_read();
  kj::Promise<MaybeMessage> read(capnp::ReaderOptions options);
  void count(capnp::MessageReader& message);

  FrameStream& stream_;
  std::string fault_;
  bool is_in_ = false;
  uint32_t unfinished_ = 0;  // calls
  uint32_t unanswered_ = 0;  // messages that each entail another
  bool is_writing_ = false;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> written_;  // what a reader waits for
};

}  // namespace troupe
