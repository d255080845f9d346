#include "troupe/capnp/client/socket_stream.hpp"

#include <kj/debug.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace troupe {
namespace {

using Pieces = kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>>;

kj::Exception lost(const char* what, int error) {
  return kj::Exception(
      kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
      kj::str(what, ": ", std::strerror(error)));
}

bool is_would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

class SocketStream final : public kj::AsyncIoStream {
 public:
  SocketStream(kj::UnixEventPort& port, kj::AutoCloseFd socket)
      : socket_(kj::mv(socket)),
        observer_(port, socket_, kj::UnixEventPort::FdObserver::OBSERVE_READ_WRITE) {}

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return read_on(static_cast<kj::byte*>(buffer), min_bytes, max_bytes, /*given=*/0);
  }

  kj::Promise<void> write(const void* buffer, size_t size) override {
    while (size > 0) {
      auto sent = ::send(socket_, buffer, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && !is_would_block(errno)) return lost("cannot send", errno);
      if (sent < 0)
        return observer_.whenBecomesWritable().then(
            [this, buffer, size] { return write(buffer, size); });
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
      if (got == 0) return given;
      if (got > 0) {
        given += static_cast<size_t>(got);
        continue;
      }
      if (errno == EINTR) continue;
      if (!is_would_block(errno)) return lost("cannot receive", errno);
      return observer_.whenBecomesReadable().then([this, to, min_bytes, max_bytes, given] {
        return read_on(to, min_bytes, max_bytes, given);
      });
    }
    return given;
  }

  /// `offset` bytes of the first piece are written already.
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
      if (sent < 0 && !is_would_block(errno)) return lost("cannot send", errno);
      if (sent < 0)
        return observer_.whenBecomesWritable().then(
            [this, pieces, offset] { return write_on(pieces, offset); });
      offset += static_cast<size_t>(sent);
      while (pieces.size() > 0 && offset >= pieces[0].size()) {
        offset -= pieces[0].size();
        pieces = pieces.slice(1, pieces.size());
      }
    }
    return kj::READY_NOW;
  }

  kj::AutoCloseFd socket_;
  kj::UnixEventPort::FdObserver observer_;
};

}  // namespace

kj::Own<kj::AsyncIoStream> make_socket_stream(kj::UnixEventPort& port, kj::AutoCloseFd socket) {
  return kj::heap<SocketStream>(port, kj::mv(socket));
}

}  // namespace troupe
