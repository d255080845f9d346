#pragma once

#include <capnp/message.h>
#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/frame_stream.hpp"
#include "troupe/graph/address.hpp"
#include "troupe/graph/text.hpp"

namespace troupe {

/// A connection to the door of another node.
class Visit {
 public:
  explicit Visit(kj::Own<kj::AsyncIoStream> socket)
      : stream_(kj::mv(socket)),
        network_(stream_, capnp::rpc::twoparty::Side::CLIENT, reader_options()),
        system_(capnp::makeRpcClient(network_)) {}

  rpc::Login::Client door() {
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

/// A question to the door of another node: attempts until one is answered.
template <class Answer>
class DoorQuestion {
 public:
  using Ask = std::function<kj::Promise<Result<Answer>>(rpc::Login::Client)>;

  DoorQuestion(kj::AsyncIoProvider& io, Address address, Ask ask)
      : io_(io), address_(std::move(address)), ask_(std::move(ask)) {}

  kj::Promise<Result<Answer>> attempt() {
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
  Status give_up(std::chrono::milliseconds timeout) const {
    return unavailable(
        "no node answers at " + address_.to_string() + ": " + reason_ + " (tried for " +
        seconds_text(timeout) + ")");
  }

 private:
  kj::Promise<Result<Answer>> ask(kj::Own<kj::AsyncIoStream> socket) {
    tune_socket(KJ_ASSERT_NONNULL(socket->getFd()));
    auto visit = kj::heap<Visit>(kj::mv(socket));
    auto answer = ask_(visit->door());
    return answer.attach(kj::mv(visit));
  }
  kj::Promise<Result<Answer>> try_again(kj::Exception&& error) {
    reason_ = error.getDescription().cStr();
    if (error.getType() == kj::Exception::Type::UNIMPLEMENTED)
      return Result<Answer>(unimplemented(
          "the node at " + address_.to_string() +
          " does not know that call, so it is of an earlier release: update it (" + reason_ + ")"));
    auto pause = std::exchange(pause_, std::min(pause_ * 2, 1 * kj::SECONDS));
    return io_.getTimer().afterDelay(pause).then([this] { return attempt(); });
  }

  kj::AsyncIoProvider& io_;
  Address address_;
  Ask ask_;
  kj::Duration pause_ = 10 * kj::MILLISECONDS;
  std::string reason_ = "it does not answer";
};

/// Asks the node at an address. Unimplemented: it is of a release that does not know the question.
/// Where the connection fails it tries again, ever less often, until
/// the timeout: Unavailable then names the address, the last reason and how long it was tried. `io`
/// must outlive the promise.
template <class Answer>
kj::Promise<Result<Answer>> ask_door(
    kj::AsyncIoProvider& io, const Address& address, std::chrono::milliseconds timeout,
    typename DoorQuestion<Answer>::Ask ask) {
  auto question = kj::heap<DoorQuestion<Answer>>(io, address, std::move(ask));
  auto late = io.getTimer()
                  .afterDelay(timeout.count() * kj::MILLISECONDS)
                  .then([&question = *question, timeout] {
                    return Result<Answer>(question.give_up(timeout));
                  });
  auto found = question->attempt().exclusiveJoin(kj::mv(late));
  return found.attach(kj::mv(question));
}

}  // namespace troupe
