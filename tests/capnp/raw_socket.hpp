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

#include "troupe/graph/check.hpp"
#include "troupe/tests/patience.hpp"

namespace troupe::testing {

using Bytes = std::vector<uint8_t>;

/// A connection to a port of this machine that says what it likes.
class RawSocket {
 public:
  explicit RawSocket(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    timeval limit{.tv_sec = patience / std::chrono::seconds(1), .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~RawSocket() {
    if (socket_ >= 0) ::close(socket_);
  }
  RawSocket(RawSocket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawSocket& operator=(RawSocket&&) = delete;

  /// False when not all of it was taken.
  bool send(std::span<const uint8_t> bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  void finish() { ::shutdown(socket_, SHUT_WR); }
  /// True when the other end closes the connection, whatever it says before.
  bool sees_end() {
    uint8_t bytes[4096];
    ssize_t got = 1;
    while (got > 0 || (got < 0 && errno == EINTR)) got = ::recv(socket_, bytes, sizeof bytes, 0);
    // Unread bytes make it a reset, which is EPIPE where the end has come before.
    return got == 0 || errno == ECONNRESET || errno == EPIPE;
  }

 private:
  int socket_;
};

/// Sends that and no more, and tells whether the other end closes the connection then.
inline bool is_ended_after(int port, std::span<const uint8_t> bytes) {
  RawSocket socket(port);
  socket.send(bytes);
  socket.finish();
  return socket.sees_end();
}

}  // namespace troupe::testing
