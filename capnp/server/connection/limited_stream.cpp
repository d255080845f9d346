#include "troupe/capnp/server/connection/limited_stream.hpp"

#include <capnp/rpc.capnp.h>
#include <kj/debug.h>

#include "troupe/capnp/protocol.hpp"

namespace troupe {
namespace {

// A client that is slow to read its answers is not read while more than that many are unsent.
constexpr uint32_t unanswered_while_writing_max = 64;

}  // namespace

LimitedStream::LimitedStream(FrameStream& stream, LoopActivity& activity)
    : stream_(stream), activity_(activity) {
  stream_.set_message_bytes_max(protocol::login_message_bytes_max);
}

void LimitedStream::mark_logged_in() {
  is_logged_in_ = true;
  stream_.set_message_bytes_max(protocol::message_bytes_max);
}

kj::Promise<LimitedStream::MaybeMessage> LimitedStream::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd>, capnp::ReaderOptions options, kj::ArrayPtr<capnp::word>) {
  bool is_slow = is_writing_ && unanswered_ > unanswered_while_writing_max;
  if (is_logged_in_ && !is_slow) return read(options);
  return wait_before_read().then([this, options] { return read(options); });
}

/// Before login, lets the events that are due run first: the message before may be a login() whose
/// call lifts the limits for the next one. After login, waits until a write has ended.
kj::Promise<void> LimitedStream::wait_before_read() {
  if (!is_logged_in_) return kj::evalLast([] {});
  auto written = kj::newPromiseAndFulfiller<void>();
  written_ = kj::mv(written.fulfiller);
  return kj::mv(written.promise);
}

kj::Promise<LimitedStream::MaybeMessage> LimitedStream::read(capnp::ReaderOptions options) {
  return stream_.tryReadMessage(nullptr, options, nullptr).then([this](MaybeMessage message) {
    activity_.note();
    KJ_IF_MAYBE (some, message) count(*some->reader);
    return kj::mv(message);
  });
}

void LimitedStream::count(capnp::MessageReader& message) {
  auto kind = message.getRoot<capnp::rpc::Message>().which();
  switch (kind) {
    case capnp::rpc::Message::FINISH:
      if (unfinished_ > 0) --unfinished_;
      return;
    case capnp::rpc::Message::RELEASE:
    case capnp::rpc::Message::RETURN: return;
    case capnp::rpc::Message::BOOTSTRAP:
    case capnp::rpc::Message::CALL: ++unfinished_; break;
    default: break;
  }
  ++unanswered_;
  if (unanswered_ <= protocol::calls_max && unfinished_ <= protocol::calls_max) return;
  fault_ = "more than " + std::to_string(protocol::calls_max) + " calls are in progress";
  kj::throwFatalException(KJ_EXCEPTION(FAILED, fault_.c_str()));
}

kj::Promise<void> LimitedStream::writeMessage(
    kj::ArrayPtr<const int> fds, kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  is_writing_ = true;
  return stream_.writeMessage(fds, segments).then([this] {
    is_writing_ = false;
    if (unanswered_ > 0) --unanswered_;
    KJ_IF_MAYBE (reader, written_) (*reader)->fulfill();
    written_ = nullptr;
  });
}

kj::Promise<void> LimitedStream::writeMessages(
    kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) {
  if (messages.size() == 0) return kj::READY_NOW;
  return writeMessage(nullptr, messages[0]).then([this, messages]() mutable {
    return writeMessages(messages.slice(1, messages.size()));
  });
}

}  // namespace troupe
