#include "troupe/capnp/server/connection/connection_set.hpp"

#include <capnp/rpc-twoparty.h>
#include <netdb.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/connection/limited_stream.hpp"
#include "troupe/capnp/server/services/login_server.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"

namespace troupe {
namespace {

constexpr kj::Duration login_time = protocol::login_time / std::chrono::seconds(1) * kj::SECONDS;

std::string name_of_peer(kj::AsyncIoStream& socket) {
  sockaddr_storage name{};
  kj::uint length = sizeof name;
  socket.getpeername(reinterpret_cast<sockaddr*>(&name), &length);
  char host[NI_MAXHOST] = "?";
  char port[NI_MAXSERV] = "?";
  ::getnameinfo(
      reinterpret_cast<sockaddr*>(&name), length, host, sizeof host, port, sizeof port,
      NI_NUMERICHOST | NI_NUMERICSERV);
  return std::string(host) + ":" + port;
}

}  // namespace

/// A connection and the RPC system on it.
struct ConnectionSet::ClientConnection {
  ClientConnection(
      kj::Own<kj::AsyncIoStream> socket, EventLoopExecutionUnit& unit, const Service& service,
      int& count)
      : name(name_of_peer(*socket)),
        stream(kj::mv(socket), *service.receive_allocator),
        messages(stream, unit.task_queue()->activity()),
        network(messages, capnp::rpc::twoparty::Side::SERVER, reader_options()),
        system(capnp::makeRpcServer(
            network, capnp::Capability::Client(make_login_server(
                         unit, service, stream.memory(), [this] { messages.mark_logged_in(); })))),
        count(++count) {
    // Bounds the size of the calls in progress; beyond it the connection is not read.
    system.setFlowLimit(protocol::message_bytes_max / sizeof(capnp::word));
  }
  ~ClientConnection() { --count; }

  std::string name;
  FrameStream stream;
  LimitedStream messages;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
  int& count;
};

ConnectionSet::ConnectionSet(
    kj::LowLevelAsyncIoProvider& io, EventLoopExecutionUnit& unit, const Service& service)
    : io_(io), unit_(unit), service_(service), tasks_(*this) {}

void ConnectionSet::add(kj::AutoCloseFd accepted) {
  auto socket = io_.wrapSocketFd(kj::mv(accepted));
  if (connection_count_ >= connections_max) {
    return log_.warn(
        "refused " + name_of_peer(*socket) + ": " + std::to_string(connection_count_) +
        " connections are open");
  }
  auto owned = kj::heap<ClientConnection>(kj::mv(socket), unit_, service_, connection_count_);
  auto& connection = *owned;
  auto overdue =
      io_.getTimer().afterDelay(login_time).then([this, &connection]() -> kj::Promise<void> {
        if (connection.messages.is_logged_in()) return kj::NEVER_DONE;
        log_.warn("dropped " + connection.name + ": it did not log in");
        return kj::READY_NOW;
      });
  tasks_.add(connection.network.onDisconnect()
                 .then([this, &connection] {
                   if (!connection.messages.fault().empty())
                     log_.warn("dropped " + connection.name + ": " + connection.messages.fault());
                 })
                 .exclusiveJoin(kj::mv(overdue))
                 .attach(kj::mv(owned)));
}

void ConnectionSet::taskFailed(kj::Exception&& exception) {
  log_.warn(std::string("a connection failed: ") + exception.getDescription().cStr());
}

}  // namespace troupe
