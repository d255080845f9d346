#include "troupe/capnp/server/listen/listening_socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace troupe {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

int port_of(int socket) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length);
  if (name.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&name)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&name)->sin_port);
}

/// Null, with errno set, where it fails.
kj::AutoCloseFd try_bind(const addrinfo& at) {
  kj::AutoCloseFd socket(
      ::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, at.ai_protocol));
  if (socket.get() < 0) return nullptr;
  int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket, at.ai_addr, at.ai_addrlen) == 0) return socket;
  auto error = errno;
  socket = nullptr;
  errno = error;
  return nullptr;
}

}  // namespace

Result<BoundSocket> bind_port(const std::string& host, int port) {
  auto address = host.empty() ? "127.0.0.1" : host;
  auto fail = [&](const std::string& reason) {
    return unavailable("cannot listen on " + address + ":" + std::to_string(port) + ": " + reason);
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  auto error = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return fail(::gai_strerror(error));
  Addresses candidates(found, &::freeaddrinfo);
  std::string reason = "the host has no address";
  for (auto* at = found; at != nullptr; at = at->ai_next) {
    auto socket = try_bind(*at);
    auto own_port = socket == nullptr ? 0 : port_of(socket);
    if (socket != nullptr) return BoundSocket{.socket = kj::mv(socket), .port = own_port};
    reason = std::strerror(errno);
  }
  return fail(reason);
}

Status start_listening(int socket) {
  if (::listen(socket, SOMAXCONN) == 0) return {};
  return unavailable(
      "cannot listen on port " + std::to_string(port_of(socket)) + ": " + std::strerror(errno));
}

Result<BoundSocket> listen_on(const std::string& host, int port) {
  auto bound = bind_port(host, port);
  if (!bound) return bound;
  if (auto status = start_listening(bound->socket); !status.ok()) return status;
  return bound;
}

}  // namespace troupe
