#include "troupe/capnp/client/socket_stream.hpp"

#include <kj/debug.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace troupe {
namespace {

using Pieces = kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>>;

// Fewer bytes prove nothing: the other host's kernel acknowledges them even if the process hangs.
constexpr int backlog_bytes_min = 64 << 10;

kj::Exception lost(kj::String reason) {
  return kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__, kj::mv(reason));
}

bool is_would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

class PlainSocketStream final : public SocketStream {
 public:
  PlainSocketStream(kj::UnixEventPort& port, kj::AutoCloseFd socket)
      : timer_(port.getTimer()),
        socket_(kj::mv(socket)),
        observer_(port, socket_, kj::UnixEventPort::FdObserver::OBSERVE_READ_WRITE) {}

  kj::TimePoint last_activity() override {
    int unacknowledged = 0;
    KJ_SYSCALL(::ioctl(socket_, SIOCOUTQ, &unacknowledged));
    auto acknowledged = sent_ - static_cast<uint64_t>(unacknowledged);
    if (std::exchange(unacknowledged_, unacknowledged) > backlog_bytes_min &&
        acknowledged > acknowledged_)
      last_activity_ = timer_.now();
    acknowledged_ = acknowledged;
    return last_activity_;
  }
  void close(kj::StringPtr reason) override {
    close_reason_ = kj::heapString(reason);
    ::shutdown(socket_, SHUT_RDWR);  // wakes pending reads and writes
  }

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return read_on(static_cast<kj::byte*>(buffer), min_bytes, max_bytes, /*given=*/0);
  }

  kj::Promise<void> write(const void* buffer, size_t size) override {
    while (size > 0) {
      auto sent = ::send(socket_, buffer, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && !is_would_block(errno)) return failure("cannot send");
      if (sent < 0)
        return observer_.whenBecomesWritable().then(
            [this, buffer, size] { return write(buffer, size); });
      sent_ += static_cast<uint64_t>(sent);
      buffer = static_cast<const kj::byte*>(buffer) + sent;
      size -= static_cast<size_t>(sent);
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> write(Pieces pieces) override { return write_on(pieces, /*offset=*/0); }

  kj::Promise<void> whenWriteDisconnected() override { return observer_.whenWriteDisconnected(); }
  void shutdownWrite() override { ::shutdown(socket_, SHUT_WR); }
  void getsockopt(int level, int option, void* value, kj::uint* length) override {
    KJ_SYSCALL(::getsockopt(socket_, level, option, value, length));
  }
  void setsockopt(int level, int option, const void* value, kj::uint length) override {
    KJ_SYSCALL(::setsockopt(socket_, level, option, value, length));
  }

 private:
  kj::Promise<size_t> read_on(kj::byte* to, size_t min_bytes, size_t max_bytes, size_t given) {
    while (given < min_bytes) {
      auto got = ::recv(socket_, to + given, max_bytes - given, 0);
      if (got == 0 && close_reason_.size() > 0) return lost(kj::heapString(close_reason_));
      if (got == 0) return given;
      if (got > 0) {
        last_activity_ = timer_.now();
        given += static_cast<size_t>(got);
        continue;
      }
      if (errno == EINTR) continue;
      if (!is_would_block(errno)) return failure("cannot receive");
      return observer_.whenBecomesReadable().then([this, to, min_bytes, max_bytes, given] {
        return read_on(to, min_bytes, max_bytes, given);
      });
    }
    return given;
  }

  /// `offset` bytes of the first piece have been written already.
  kj::Promise<void> write_on(Pieces pieces, size_t offset) {
    while (pieces.size() > 0) {
      std::array<iovec, 64> vectors;
      auto count = std::min(vectors.size(), pieces.size());
      for (size_t i = 0; i < count; ++i)
        vectors[i] = {const_cast<kj::byte*>(pieces[i].begin()), pieces[i].size()};
      vectors[0].iov_base = static_cast<kj::byte*>(vectors[0].iov_base) + offset;
      vectors[0].iov_len -= offset;
      msghdr message{};
      message.msg_iov = vectors.data();
      message.msg_iovlen = count;
      auto sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && !is_would_block(errno)) return failure("cannot send");
      if (sent < 0)
        return observer_.whenBecomesWritable().then(
            [this, pieces, offset] { return write_on(pieces, offset); });
      sent_ += static_cast<uint64_t>(sent);
      offset += static_cast<size_t>(sent);
      while (pieces.size() > 0 && offset >= pieces[0].size()) {
        offset -= pieces[0].size();
        pieces = pieces.slice(1, pieces.size());
      }
    }
    return kj::READY_NOW;
  }

  /// The exception for the system call that just failed.
  kj::Exception failure(const char* what) const {
    if (close_reason_.size() > 0) return lost(kj::heapString(close_reason_));
    return lost(kj::str(what, ": ", std::strerror(errno)));
  }

  kj::Timer& timer_;
  kj::TimePoint last_activity_ = timer_.now();
  uint64_t sent_ = 0;          // bytes
  uint64_t acknowledged_ = 0;  // of them, at the last call of last_activity()
  int unacknowledged_ = 0;     // likewise
  kj::String close_reason_;    // empty unless closed
  kj::AutoCloseFd socket_;
  kj::UnixEventPort::FdObserver observer_;
};

}  // namespace

kj::Own<SocketStream> make_socket_stream(kj::UnixEventPort& port, kj::AutoCloseFd socket) {
  return kj::heap<PlainSocketStream>(port, kj::mv(socket));
}

}  // namespace troupe
