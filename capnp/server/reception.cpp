#include "troupe/capnp/server/reception.hpp"

#include <capnp/rpc-twoparty.h>
#include <netdb.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <utility>

#include "troupe/capnp/frame_stream.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/guest_stream.hpp"
#include "troupe/capnp/server/login_server.hpp"

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

/// A connection that is served.
struct Reception::Guest {
  Guest(kj::Own<kj::AsyncIoStream> socket, KjUnit& unit, const Service& service, int& count)
      : name(name_of_peer(*socket)),
        stream(kj::mv(socket)),
        messages(stream),
        network(messages, capnp::rpc::twoparty::Side::SERVER, reader_options()),
        system(capnp::makeRpcServer(
            network, capnp::Capability::Client(make_login_server(
                         unit, service, stream.memory(), [this] { messages.let_in(); })))),
        count(++count) {
    // Of calls that are not answered; beyond that, the connection is not read any further.
    system.setFlowLimit(protocol::message_bytes_max / sizeof(capnp::word));
  }
  ~Guest() { --count; }

  std::string name;
  FrameStream stream;
  GuestStream messages;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
  int& count;
};

Reception::Reception(kj::LowLevelAsyncIoProvider& io, KjUnit& unit, const Service& service)
    : io_(io), unit_(unit), service_(service), tasks_(*this) {}

void Reception::welcome(kj::AutoCloseFd connected) {
  auto socket = io_.wrapSocketFd(kj::mv(connected));
  if (guest_count_ >= connections_max) {
    return log_.warn(
        "refused " + name_of_peer(*socket) + ": " + std::to_string(guest_count_) +
        " connections are open");
  }
  auto guest = kj::heap<Guest>(kj::mv(socket), unit_, service_, guest_count_);
  auto& stays = *guest;
  auto late = io_.getTimer().afterDelay(login_time).then([this, &stays]() -> kj::Promise<void> {
    if (stays.messages.is_in()) return kj::NEVER_DONE;
    log_.warn("dropped " + stays.name + ": it did not log in");
    return kj::READY_NOW;
  });
  tasks_.add(stays.network.onDisconnect()
                 .then([this, &stays] {
                   if (!stays.messages.fault().empty())
                     log_.warn("dropped " + stays.name + ": " + stays.messages.fault());
                 })
                 .exclusiveJoin(kj::mv(late))
                 .attach(kj::mv(guest)));
}

void Reception::taskFailed(kj::Exception&& exception) {
  log_.warn(std::string("a connection failed: ") + exception.getDescription().cStr());
}

}  // namespace troupe
