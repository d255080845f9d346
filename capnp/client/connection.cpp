#include "troupe/capnp/client/connection.hpp"

#include <capnp/message.h>

#include <algorithm>
#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/text.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using Side = capnp::rpc::twoparty::Side;

// A node ends a call at its timeout; for so long its answer may be under way.
constexpr milliseconds answer_time{50};

/// KJ counts nanoseconds, which end after some centuries; nobody waits for longer than a year.
kj::Duration to_duration(milliseconds time) {
  return std::min<milliseconds>(time, std::chrono::years(1)).count() * kj::MILLISECONDS;
}

rpc::Login::Client door_of(capnp::RpcSystem<capnp::rpc::twoparty::VatId>& system) {
  capnp::MallocMessageBuilder message(8);
  auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
  server.setSide(Side::SERVER);
  return system.bootstrap(server).castAs<rpc::Login>();
}

}  // namespace

Connection::Parts::Parts(kj::Own<SocketStream> connected)
    : socket(*connected),
      stream(kj::mv(connected)),
      network(stream, Side::CLIENT, reader_options()),
      system(capnp::makeRpcClient(network)),
      door(door_of(system)) {}

Connection::Connection(kj::AutoCloseFd socket, std::string target) : target_(std::move(target)) {
  loop_.run([this, &socket]() -> kj::Promise<void> {
    tune_socket(socket);
    parts_.emplace(make_socket_stream(loop_.port(), kj::mv(socket)));
    return kj::READY_NOW;
  });
}

Connection::~Connection() noexcept {
  let_go([this] { parts_.reset(); });
}

Status Connection::login(milliseconds timeout) {
  Status answer;
  auto status = run_for(timeout, [this, &answer] { return ask_in(answer); });
  is_in_ = status.ok() && answer.ok();
  return status.ok() ? answer : status;
}

kj::Promise<void> Connection::ask_in(Status& answer) {
  auto request = parts_->door.loginRequest();
  request.setProtocolVersion(protocol::version);
  request.setClient("troupe C++ client");
  return request.send().then([this, &answer](auto response) {
    answer = to_status(response.getStatus());
    if (!answer.ok()) return;
    auto identity = response.getIdentity();
    task_ = task_name(identity.getJob().cStr(), static_cast<int>(identity.getTask()));
    incarnation_ = identity.getIncarnation();
    parts_->master = response.getMaster();
    memory()->set_takes_sources(response.getProtocolVersion() >= protocol::sources_version);
  });
}

Status Connection::watch_over(kj::AutoCloseFd socket, milliseconds limit, milliseconds timeout) {
  return run_for(timeout, [&] {
    tune_socket(socket);
    auto asking = make_socket_stream(loop_.port(), kj::mv(socket));
    parts_->heartbeat.emplace(
        loop_.port(), parts_->socket, kj::mv(asking), incarnation_, to_duration(limit));
    return parts_->heartbeat->begin();
  });
}

Status Connection::run_for(milliseconds timeout, kj::Function<kj::Promise<void>()> start) {
  Status late;
  auto status = run([&] {
    auto end = loop_.after(to_duration(timeout)).then([&] {
      late = unavailable(
          target_ +
          " is not a Troupe node, or it hangs: it took the connection, but did not "
          "answer within " +
          std::to_string(timeout.count()) + " ms");
    });
    return start().exclusiveJoin(kj::mv(end));
  });
  return status.ok() ? late : status;
}

Status Connection::run(kj::Function<kj::Promise<void>()> start) {
  try {
    loop_.run(kj::mv(start));
    return Status();
  } catch (const kj::Exception& error) {
    return failure(error);
  }
}

Status Connection::run_within(milliseconds timeout, kj::Function<kj::Promise<void>()> start) {
  Status given_up;
  auto status = run([&] {
    return unless_late(start(), timeout, [&](Status late) { given_up = std::move(late); });
  });
  return status.ok() ? given_up : status;
}

Status Connection::run_out(kj::Function<void()> work) {
  try {
    loop_.run_out([&work]() -> kj::Promise<void> {
      work();
      return kj::READY_NOW;
    });
    return Status();
  } catch (const kj::Exception& error) {
    return failure(error);
  }
}

void Connection::look() {
  (void)run_out([this] { loop_.port().poll(); });
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
  return lost(error.getType(), words).at({.task = task_});
}

Status Connection::lost(kj::Exception::Type type, const std::string& words) const {
  auto node = target_ + " (" + task_ + ")";
  switch (type) {
    case kj::Exception::Type::DISCONNECTED:
      return unavailable("the connection to " + node + " is lost: " + words);
    case kj::Exception::Type::OVERLOADED: return resource_exhausted(node + ": " + words);
    case kj::Exception::Type::UNIMPLEMENTED:
      return unimplemented(
          node + " does not know that call, so it is of an earlier release: update it (" + words +
          ")");
    default: return internal(node + ": " + words);
  }
}

Status Connection::late(milliseconds timeout) const {
  auto seconds = seconds_text(timeout);
  return deadline_exceeded(
             target_ + " (" + task_ + ") has not answered within the timeout of " + seconds)
      .at({.task = task_});
}

kj::Promise<void> Connection::after(milliseconds time) { return loop_.after(to_duration(time)); }

kj::Promise<void> Connection::unless_late(
    kj::Promise<void> call, milliseconds timeout, kj::Function<void(Status)> give_up) {
  if (timeout.count() == 0) return call;
  auto end =
      loop_.after(to_duration(timeout) + to_duration(answer_time))
          .then([this, timeout, give_up = kj::mv(give_up)]() mutable { give_up(late(timeout)); });
  return call.exclusiveJoin(kj::mv(end));
}

}  // namespace troupe
