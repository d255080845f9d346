#include "troupe/capnp/client/connection.hpp"

#include <capnp/message.h>

#include <utility>

#include "troupe/capnp/client/socket_stream.hpp"
#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/protocol.hpp"

namespace troupe {
namespace {

using Side = capnp::rpc::twoparty::Side;

rpc::Login::Client door_of(capnp::RpcSystem<capnp::rpc::twoparty::VatId>& system) {
  capnp::MallocMessageBuilder message(8);
  auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
  server.setSide(Side::SERVER);
  return system.bootstrap(server).castAs<rpc::Login>();
}

}  // namespace

Connection::Parts::Parts(kj::Own<kj::AsyncIoStream> socket)
    : stream(kj::mv(socket)),
      network(stream, Side::CLIENT, reader_options()),
      system(capnp::makeRpcClient(network)),
      door(door_of(system)) {}

Connection::Connection(kj::AutoCloseFd socket, std::string target) : target_(std::move(target)) {
  loop_.run([this, &socket]() -> kj::Promise<void> {
    auto stream = make_socket_stream(loop_.port(), kj::mv(socket));
    tune_socket(*stream);
    parts_.emplace(kj::mv(stream));
    return kj::READY_NOW;
  });
}

Connection::~Connection() noexcept {
  let_go([this] { parts_.reset(); });
}

Status Connection::login(std::chrono::milliseconds timeout) {
  Status answer;
  auto status = run([this, &answer, timeout] {
    auto late = loop_.after(timeout.count() * kj::MILLISECONDS).then([this, &answer, timeout] {
      answer = unavailable(
          target_ +
          " is not a Troupe node, or it hangs: it took the connection, but did not "
          "answer within " +
          std::to_string(timeout.count()) + " ms");
    });
    return ask_in(answer).exclusiveJoin(kj::mv(late));
  });
  is_in_ = status.ok() && answer.ok();
  return status.ok() ? answer : status;
}

kj::Promise<void> Connection::ask_in(Status& answer) {
  auto request = parts_->door.loginRequest();
  request.setProtocolVersion(protocol::version);
  request.setClient("troupe C++ client");
  return request.send().then([this, &answer](auto response) {
    answer = to_status(response.getStatus());
    if (answer.ok()) parts_->master = response.getMaster();
  });
}

Status Connection::run(kj::Function<kj::Promise<void>()> start) {
  try {
    loop_.run(kj::mv(start));
    return Status();
  } catch (const kj::Exception& error) {
    return failure(error);
  }
}

void Connection::let_go(kj::Function<void()> release) {
  try {
    loop_.run_out([&release]() -> kj::Promise<void> {
      release();
      return kj::READY_NOW;
    });
  } catch (const kj::Exception&) {
    // The connection is lost, and all that it held with it.
  }
}

Status Connection::no_node(const std::string& why) const {
  return failed_precondition(target_ + " is not a Troupe node: " + why);
}

Status Connection::failure(const kj::Exception& error) const {
  auto words = std::string(error.getDescription().cStr());
  if (!parts_->stream.fault().empty())
    return no_node("it does not speak Cap'n Proto (" + parts_->stream.fault() + ")");
  if (!is_in_ && error.getType() == kj::Exception::Type::DISCONNECTED)
    return unavailable(
        target_ + " closed the connection before it answered (" + words +
        "): it is stopping, or it is not a Troupe node");
  if (!is_in_) return no_node(words);
  switch (error.getType()) {
    case kj::Exception::Type::DISCONNECTED:
      return unavailable("the connection to " + target_ + " is lost: " + words);
    case kj::Exception::Type::OVERLOADED: return resource_exhausted(target_ + ": " + words);
    case kj::Exception::Type::UNIMPLEMENTED: return unimplemented(target_ + ": " + words);
    default: return internal(target_ + ": " + words);
  }
}

}  // namespace troupe
