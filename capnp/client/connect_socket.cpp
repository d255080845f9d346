#include "troupe/capnp/client/connect_socket.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "troupe/capnp/stream/local_socket.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

milliseconds until(Clock::time_point deadline) {
  auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  return std::max(left, milliseconds(0));
}

/// 0, or the error number with which the connection failed.
int wait_connected(int socket, Clock::time_point deadline) {
  pollfd entry{.fd = socket, .events = POLLOUT, .revents = 0};
  auto ready = ::poll(&entry, 1, static_cast<int>(until(deadline).count()));
  if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

struct Attempt {
  kj::AutoCloseFd socket;
  std::string reason;  // empty: it is connected
};

Attempt try_address(const addrinfo& to, Clock::time_point deadline) {
  kj::AutoCloseFd socket(
      ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, to.ai_protocol));
  if (socket.get() < 0) return {nullptr, std::strerror(errno)};
  auto error = ::connect(socket, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) error = wait_connected(socket, deadline);
  if (error != 0) return {nullptr, std::strerror(error)};
  return {kj::mv(socket), ""};
}

Attempt try_host(const Address& address, Clock::time_point deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  auto port = std::to_string(address.port);
  if (auto error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found); error != 0)
    return {nullptr, "no such host: " + std::string(::gai_strerror(error))};
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  Attempt attempt{nullptr, "the host has no address"};
  for (auto* to = found; to != nullptr; to = to->ai_next) {
    attempt = try_address(*to, deadline);
    if (attempt.reason.empty()) break;
  }
  return attempt;
}

/// A connection unix_socket the one that there is, if the node is on this host.
kj::AutoCloseFd prefer_unix_socket(kj::AutoCloseFd connection) {
  auto unix_socket = connect_unix_socket(connection);
  return unix_socket != nullptr ? kj::mv(unix_socket) : kj::mv(connection);
}

}  // namespace

Result<kj::AutoCloseFd> connect_socket(
    const Address& address, Clock::time_point deadline,
    const std::function<void(const std::string&)>& on_wait) {
  auto start = Clock::now();
  bool is_told = on_wait == nullptr;
  for (auto pause = milliseconds(10);; pause = std::min(pause * 2, milliseconds(500))) {
    auto attempt = try_host(address, deadline);
    if (attempt.reason.empty()) return prefer_unix_socket(kj::mv(attempt.socket));
    if (Clock::now() + pause >= deadline)
      return unavailable(
          "cannot connect to " + address.to_string() + ": " + attempt.reason + " (tried for " +
          seconds_text(Clock::now() - start) + "); is a node running there?");
    if (!is_told && Clock::now() - start >= std::chrono::seconds(1)) {
      is_told = true;
      on_wait(
          "cannot connect to " + address.to_string() + " yet: " + attempt.reason +
          "; trying again for up to " + seconds_text(deadline - Clock::now()));
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<kj::AutoCloseFd> connect_same_peer(int socket, Clock::time_point deadline) {
  sockaddr_storage place{};
  socklen_t length = sizeof place;
  addrinfo to{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&place), &length) == 0) {
    to.ai_family = place.ss_family;
    to.ai_addr = reinterpret_cast<sockaddr*>(&place);
    to.ai_addrlen = length;
  }
  auto attempt = try_address(to, deadline);
  if (attempt.reason.empty()) return kj::mv(attempt.socket);
  return unavailable("cannot open a second connection: " + attempt.reason);
}

}  // namespace troupe
