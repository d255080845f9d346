#include "troupe/capnp/stream/local_socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string>

namespace troupe {
namespace {

struct Endpoint {
  std::string host;
  std::string port;

  bool is_loopback() const { return host.starts_with("127."); }
};

using NameOf = int (*)(int socket, sockaddr* name, socklen_t* length);

std::optional<Endpoint> endpoint(int socket, NameOf name_of) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  auto* at = reinterpret_cast<sockaddr*>(&name);
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (name_of(socket, at, &length) != 0 ||
      (name.ss_family != AF_INET && name.ss_family != AF_INET6) ||
      ::getnameinfo(
          at, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  return Endpoint{.host = host, .port = port};
}

struct LocalName {
  sockaddr_un name{};
  socklen_t length;

  /// Of the abstract namespace, which the leading zero says.
  LocalName(const std::string& host, const std::string& port) {
    auto text = "troupe/" + host + ":" + port;
    name.sun_family = AF_UNIX;
    auto size = std::min(text.size(), sizeof name.sun_path - 1);
    std::memcpy(name.sun_path + 1, text.data(), size);
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&name); }
};

constexpr const char* any_host = "*";

kj::AutoCloseFd make_socket() {
  return kj::AutoCloseFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

kj::AutoCloseFd connect_to(const LocalName& name) {
  auto socket = make_socket();
  if (socket.get() < 0 || ::connect(socket, name.address(), name.length) != 0) return nullptr;
  // Any user may have taken the name.
  return is_of_this_user(socket) ? kj::mv(socket) : nullptr;
}

bool has_name(int socket, NameOf name_of) {
  sockaddr_un name{};
  socklen_t length = sizeof name;
  return name_of(socket, reinterpret_cast<sockaddr*>(&name), &length) == 0 &&
         length > sizeof name.sun_family;
}

}  // namespace

bool is_of_this_user(int socket) {
  int family = 0;
  socklen_t length = sizeof family;
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &length) != 0 || family != AF_UNIX)
    return false;
  // Those of a pair, as of a TLS tunnel, have no name.
  if (!has_name(socket, ::getsockname) && !has_name(socket, ::getpeername)) return false;
  ucred peer{};
  length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         peer.uid == ::geteuid();
}

kj::AutoCloseFd listen_unix_socket(int port) {
  auto at = endpoint(port, ::getsockname);
  if (!at) return nullptr;
  auto takes_all = at->host == "0.0.0.0" || at->host == "::";
  LocalName name(takes_all ? any_host : at->host, at->port);
  auto socket = make_socket();
  if (socket.get() < 0 || ::bind(socket, name.address(), name.length) != 0 ||
      ::listen(socket, SOMAXCONN) != 0)
    return nullptr;
  return socket;
}

kj::AutoCloseFd connect_unix_socket(int connection) {
  auto here = endpoint(connection, ::getsockname), there = endpoint(connection, ::getpeername);
  if (!here || !there) return nullptr;
  auto is_same_host = here->host == there->host || (here->is_loopback() && there->is_loopback());
  if (!is_same_host) return nullptr;
  auto socket = connect_to({there->host, there->port});
  return socket != nullptr ? kj::mv(socket) : connect_to({any_host, there->port});
}

}  // namespace troupe
