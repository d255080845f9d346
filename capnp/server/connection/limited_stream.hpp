#pragma once

#include <capnp/serialize-async.h>
#include <kj/async.h>

#include <string>

#include "troupe/capnp/server/loop_activity.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"

namespace troupe {

/// The message stream of a client, with limits against hostile ones. The connection ends where a
/// message before login is larger than protocol::login_message_bytes_max, or more than
/// protocol::calls_max calls are in progress. It is not read while many answers wait to be written,
/// so a client that does not read its answers cannot send more calls.
class LimitedStream final : public capnp::MessageStream {
 public:
  /// Each message counts as an activity of the loop, so that it polls its sockets in between: many
  /// reach no actor. Both must outlive it.
  LimitedStream(FrameStream& stream, LoopActivity& activity);

  /// Lifts the limits that hold before login.
  void mark_logged_in();
  bool is_logged_in() const { return is_logged_in_; }
  /// Why the connection was closed by this end; empty where it was not.
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

  kj::Promise<void> wait_before_read();
  kj::Promise<MaybeMessage> read(capnp::ReaderOptions options);
  void count(capnp::MessageReader& message);

  FrameStream& stream_;
  LoopActivity& activity_;
  std::string fault_;
  bool is_logged_in_ = false;
  uint32_t unfinished_ = 0;  // calls that the client has not sent Finish for
  uint32_t unanswered_ = 0;  // messages received that each require one to be sent
  bool is_writing_ = false;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> written_;  // fulfilled when a write ends
};

}  // namespace troupe
