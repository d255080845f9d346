#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "troupe/graph/support/check.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

using Bytes = std::vector<uint8_t>;

/// A TCP connection to a port of this machine, for arbitrary bytes.
class RawSocket {
 public:
  /// The kernel keeps that many received bytes, or where it is 0, as many as it likes to.
  explicit RawSocket(int port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0)  // before the connection, which agrees on a window
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    timeval limit{.tv_sec = test_timeout / std::chrono::seconds(1), .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~RawSocket() {
    if (socket_ >= 0) ::close(socket_);
  }
  RawSocket(RawSocket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawSocket& operator=(RawSocket&&) = delete;

  /// False if not all of it was sent.
  bool send(std::span<const uint8_t> bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  void finish() { ::shutdown(socket_, SHUT_WR); }
  /// Reads until the other end closes the connection; false if it does not in time.
  bool await_close() {
    uint8_t bytes[4096];
    ssize_t got = 1;
    while (got > 0 || (got < 0 && errno == EINTR)) got = ::recv(socket_, bytes, sizeof bytes, 0);
    // With unread bytes the close is a reset: ECONNRESET, or EPIPE if it came before a send.
    return got == 0 || errno == ECONNRESET || errno == EPIPE;
  }

 private:
  int socket_;
};

/// Sends the bytes and ends its direction of the connection; whether the other end then closes it.
inline bool closes_after(int port, std::span<const uint8_t> bytes) {
  RawSocket socket(port);
  socket.send(bytes);
  socket.finish();
  return socket.await_close();
}

}  // namespace troupe::testing
