#include "troupe/capnp/server/find_endpoint.hpp"

#include <capnp/message.h>
#include <capnp/rpc-twoparty.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/frame_stream.hpp"
#include "troupe/graph/text.hpp"

namespace troupe {
namespace {

using Side = capnp::rpc::twoparty::Side;

constexpr auto pause_min = 10 * kj::MILLISECONDS;
constexpr auto pause_max = 1 * kj::SECONDS;

/// A connection to the door of another node.
struct Visit {
  explicit Visit(kj::Own<kj::AsyncIoStream> socket)
      : stream(kj::mv(socket)),
        network(stream, Side::CLIENT, reader_options()),
        system(capnp::makeRpcClient(network)) {}

  rpc::Login::Client door() {
    capnp::MallocMessageBuilder message(8);
    auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
    server.setSide(Side::SERVER);
    return system.bootstrap(server).castAs<rpc::Login>();
  }

  FrameStream stream;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
};

/// The search for one endpoint: attempts until one succeeds.
class Search {
 public:
  Search(kj::AsyncIoProvider& io, Address address) : io_(io), address_(std::move(address)) {}

  kj::Promise<Result<Endpoint>> attempt();
  Status give_up(std::chrono::milliseconds timeout) const;

 private:
  kj::Promise<Result<Endpoint>> ask(kj::Own<kj::AsyncIoStream> socket);
  kj::Promise<Result<Endpoint>> try_again(kj::Exception&& error);

  kj::AsyncIoProvider& io_;
  Address address_;
  kj::Duration pause_ = pause_min;
  std::string reason_ = "it does not answer";
};

Result<Endpoint> to_endpoint(rpc::Login::PeerResults::Reader from, const std::string& host) {
  auto status = to_status(from.getStatus());
  if (!status.ok()) return status;
  auto identity = from.getIdentity();
  if (identity.getTask() > static_cast<uint32_t>(std::numeric_limits<int>::max()))
    return invalid_argument("a task's index cannot be " + std::to_string(identity.getTask()));
  return Endpoint{
      .job = identity.getJob().cStr(),
      .task = static_cast<int>(identity.getTask()),
      .incarnation = identity.getIncarnation(),
      .protocol_version = identity.getProtocolVersion(),
      .host = host,
      .actor_port = identity.getActorPort()};
}

kj::Promise<Result<Endpoint>> Search::attempt() {
  return kj::evalNow([this] {
           return io_.getNetwork().parseAddress(
               address_.host, static_cast<kj::uint>(address_.port));
         })
      .then([](kj::Own<kj::NetworkAddress> found) {
        auto connected = found->connect();
        return connected.attach(kj::mv(found));
      })
      .then([this](kj::Own<kj::AsyncIoStream> socket) { return ask(kj::mv(socket)); })
      .catch_([this](kj::Exception&& error) { return try_again(kj::mv(error)); });
}

kj::Promise<Result<Endpoint>> Search::ask(kj::Own<kj::AsyncIoStream> socket) {
  tune_socket(KJ_ASSERT_NONNULL(socket->getFd()));
  auto visit = kj::heap<Visit>(kj::mv(socket));
  auto answer = visit->door().peerRequest().send().then(
      [this](auto response) { return to_endpoint(response, address_.host); });
  return answer.attach(kj::mv(visit));
}

kj::Promise<Result<Endpoint>> Search::try_again(kj::Exception&& error) {
  reason_ = error.getDescription().cStr();
  auto pause = std::exchange(pause_, std::min(pause_ * 2, pause_max));
  return io_.getTimer().afterDelay(pause).then([this] { return attempt(); });
}

Status Search::give_up(std::chrono::milliseconds timeout) const {
  return unavailable(
      "no node answers at " + address_.to_string() + ": " + reason_ + " (tried for " +
      seconds_text(timeout) + ")");
}

}  // namespace

kj::Promise<Result<Endpoint>> find_endpoint(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout) {
  auto search = kj::heap<Search>(io, std::move(address));
  auto late =
      io.getTimer()
          .afterDelay(timeout.count() * kj::MILLISECONDS)
          .then([&search = *search, timeout] { return Result<Endpoint>(search.give_up(timeout)); });
  auto found = search->attempt().exclusiveJoin(kj::mv(late));
  return found.attach(kj::mv(search));
}

}  // namespace troupe
