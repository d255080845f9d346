#include "troupe/capnp/server/reception.hpp"

#include <capnp/rpc-twoparty.h>
#include <netdb.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <string>
#include <utility>

#include "troupe/capnp/frame_stream.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/login_server.hpp"

namespace troupe {
namespace {

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

/// A connection that is served.
struct Reception::Guest {
  Guest(kj::Own<kj::AsyncIoStream> socket, KjUnit& unit, const Service& service, int& count)
      : name(name_of_peer(*socket)),
        stream(kj::mv(socket)),
        network(stream, capnp::rpc::twoparty::Side::SERVER, reader_options()),
        system(capnp::makeRpcServer(
            network, capnp::Capability::Client(make_login_server(unit, service, stream.memory())))),
        count(++count) {
    // Of calls that are not answered; beyond that, the connection is not read any further.
    system.setFlowLimit(protocol::message_bytes_max / sizeof(capnp::word));
  }
  ~Guest() { --count; }

  std::string name;
  FrameStream stream;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
  int& count;
};

Reception::Reception(kj::LowLevelAsyncIoProvider& io, KjUnit& unit, const Service& service)
    : io_(io), unit_(unit), service_(service), tasks_(*this) {}

void Reception::welcome(kj::AutoCloseFd connected) {
  auto socket = io_.wrapSocketFd(kj::mv(connected));
  if (guest_count_ >= connections_max) {
    spdlog::warn("refused {}: {} connections are open", name_of_peer(*socket), guest_count_);
    return;
  }
  auto guest = kj::heap<Guest>(kj::mv(socket), unit_, service_, guest_count_);
  auto& stays = *guest;
  tasks_.add(stays.network.onDisconnect()
                 .then([&stays] {
                   if (!stays.stream.fault().empty())
                     spdlog::warn("dropped {}: {}", stays.name, stays.stream.fault());
                 })
                 .attach(kj::mv(guest)));
}

void Reception::taskFailed(kj::Exception&& exception) {
  spdlog::warn("a connection failed: {}", exception.getDescription().cStr());
}

}  // namespace troupe
