#pragma once

#include <capnp/message.h>
#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/server/peer/peer_network.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {

/// A connection to the RPC server of another node.
class PeerConnection {
 public:
  explicit PeerConnection(kj::Own<kj::AsyncIoStream> socket)
      : stream_(kj::mv(socket)),
        network_(stream_, capnp::rpc::twoparty::Side::CLIENT, reader_options()),
        system_(capnp::makeRpcClient(network_)) {}

  rpc::Login::Client login() {
    capnp::MallocMessageBuilder message(8);
    auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
    server.setSide(capnp::rpc::twoparty::Side::SERVER);
    return system_.bootstrap(server).castAs<rpc::Login>();
  }

 private:
  FrameStream stream_;
  capnp::TwoPartyVatNetwork network_;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system_;
};

/// A call to another node that is retried, with a growing pause, until one attempt is answered.
template <class Answer>
class PeerCall {
 public:
  using Send = std::function<kj::Promise<Result<Answer>>(rpc::Login::Client)>;

  PeerCall(PeerNetwork& network, Address address, Send send)
      : network_(network), address_(std::move(address)), send_(std::move(send)) {}

  kj::Promise<Result<Answer>> attempt() {
    return network_.connect(address_)
        .then([this](kj::Own<kj::AsyncIoStream> socket) { return send_on(kj::mv(socket)); })
        .catch_([this](kj::Exception&& error) { return retry_after(kj::mv(error)); });
  }
  Status timeout_status(std::chrono::milliseconds timeout) const {
    return unavailable(
        "no node answers at " + address_.to_string() + ": " + reason_ + " (tried for " +
        seconds_text(timeout) + ")");
  }

 private:
  kj::Promise<Result<Answer>> send_on(kj::Own<kj::AsyncIoStream> socket) {
    auto connection = kj::heap<PeerConnection>(kj::mv(socket));
    auto answer = send_(connection->login());
    return answer.attach(kj::mv(connection));
  }
  kj::Promise<Result<Answer>> retry_after(kj::Exception&& error) {
    reason_ = error.getDescription().cStr();
    if (error.getType() == kj::Exception::Type::UNIMPLEMENTED)
      return Result<Answer>(unimplemented(
          "the node at " + address_.to_string() +
          " does not know that call, so it is of an earlier release: update it (" + reason_ + ")"));
    auto pause = std::exchange(pause_, std::min(pause_ * 2, 1 * kj::SECONDS));
    return network_.timer().afterDelay(pause).then([this] { return attempt(); });
  }

  PeerNetwork& network_;
  Address address_;
  Send send_;
  kj::Duration pause_ = 10 * kj::MILLISECONDS;
  std::string reason_ = "it does not answer";
};

/// Calls the node at an address. A connection that fails is retried, ever less often, until the
/// timeout: Unavailable then names the address, the last reason and how long it was tried.
/// Unimplemented where the node's release does not know the call. `network` must outlive the
/// promise.
template <class Answer>
kj::Promise<Result<Answer>> call_peer(
    PeerNetwork& network, const Address& address, std::chrono::milliseconds timeout,
    typename PeerCall<Answer>::Send send) {
  auto call = kj::heap<PeerCall<Answer>>(network, address, std::move(send));
  auto timed_out =
      network.timer().afterDelay(timeout.count() * kj::MILLISECONDS).then([&call = *call, timeout] {
        return Result<Answer>(call.timeout_status(timeout));
      });
  auto found = call->attempt().exclusiveJoin(kj::mv(timed_out));
  return found.attach(kj::mv(call));
}

}  // namespace troupe
