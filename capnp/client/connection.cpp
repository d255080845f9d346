#include "troupe/capnp/client/connection.hpp"

#include <capnp/message.h>

#include <algorithm>
#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/stream/local_socket.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using Side = capnp::rpc::twoparty::Side;

// A node ends a call at its timeout; the answer may take this long to arrive.
constexpr milliseconds answer_time{50};
// on_wait is called when a node has not answered the login for this long.
constexpr milliseconds login_notice_delay{1000};

/// Limits the time to a year: KJ counts nanoseconds in 64 bits, which overflow after centuries.
kj::Duration to_duration(milliseconds time) {
  return std::min<milliseconds>(time, std::chrono::years(1)).count() * kj::MILLISECONDS;
}

rpc::Login::Client bootstrap_of(capnp::RpcSystem<capnp::rpc::twoparty::VatId>& system) {
  capnp::MallocMessageBuilder message(8);
  auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
  server.setSide(Side::SERVER);
  return system.bootstrap(server).castAs<rpc::Login>();
}

}  // namespace

Connection::Parts::Parts(SocketStream& socket, kj::Own<kj::AsyncIoStream> connected)
    : socket(socket),
      stream(kj::mv(connected)),
      network(stream, Side::CLIENT, reader_options()),
      system(capnp::makeRpcClient(network)),
      login(bootstrap_of(system)),
      lost(network.onDisconnect()
               .catch_([](kj::Exception&&) {})
               .then([this] { is_lost = true; })
               .eagerlyEvaluate(nullptr)) {}

Status Connection::start(
    kj::AutoCloseFd socket, std::shared_ptr<Credentials> credentials, milliseconds timeout) {
  credentials_ = std::move(credentials);
  return run_before_login(timeout, [&] {
    tune_socket(socket);
    auto secret = make_secret(kj::mv(socket));
    auto& plain = *secret.plain;
    return secret.stream.then([this, &plain](kj::Own<kj::AsyncIoStream> stream) {
      parts_.emplace(plain, kj::mv(stream));
    });
  });
}

/// The stream of a socket, encrypted where the node asks for it: those of this user on this host do
/// not.
Connection::Secret Connection::make_secret(kj::AutoCloseFd socket) {
  auto is_local = is_of_this_user(socket);
  auto plain = make_socket_stream(loop_.port(), kj::mv(socket));
  auto* connected = plain.get();
  if (!credentials_ || is_local) return {connected, kj::Own<kj::AsyncIoStream>(kj::mv(plain))};
  auto secured = credentials_->as_client(kj::mv(plain)).catch_([](kj::Exception&& error) {
    auto reason = kj::str("TLS: ", error.getDescription());
    return kj::Promise<kj::Own<kj::AsyncIoStream>>(
        kj::Exception(error.getType(), __FILE__, __LINE__, kj::mv(reason)));
  });
  return {connected, kj::mv(secured)};
}

Connection::~Connection() noexcept {
  release([this] { parts_.reset(); });
}

Status Connection::login(
    const std::string& client, milliseconds timeout,
    const std::function<void(const std::string&)>& on_wait) {
  Status answer;
  std::optional<kj::ForkedPromise<void>> answered;  // made and dropped on the loop
  auto drop = kj::defer([&] { release([&] { answered.reset(); }); });
  auto notice_delay = on_wait == nullptr ? timeout : std::min(timeout, login_notice_delay);
  bool is_late = false;
  auto status = run([&] {
    auto& login = answered.emplace(send_login(client, answer).fork());
    return login.addBranch().exclusiveJoin(after(notice_delay).then([&] { is_late = true; }));
  });
  if (is_late) {
    // Told beside the loop, so that `on_wait` may throw.
    if (notice_delay < timeout) on_wait(waits_for_login(timeout - notice_delay));
    status = run_before_login(
        timeout - notice_delay, [&] { return answered->addBranch(); }, /*waited=*/notice_delay);
  }
  is_logged_in_ = status.ok() && answer.ok();
  return status.ok() ? answer : status;
}

std::string Connection::waits_for_login(milliseconds time_left) const {
  return "connected to " + target_ + ", but it has not answered the login yet; waiting for up to " +
         seconds_text(time_left) + "; is it a troupe-node?";
}

kj::Promise<void> Connection::send_login(const std::string& client, Status& answer) {
  auto request = parts_->login.loginRequest();
  request.setProtocolVersion(protocol::version);
  request.setClient(client);
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

Status Connection::start_heartbeat(
    kj::AutoCloseFd socket, milliseconds limit, milliseconds timeout) {
  return run_before_login(timeout, [&] {
    tune_socket(socket);
    return make_secret(kj::mv(socket)).stream.then([this, limit](auto stream) {
      parts_->heartbeat.emplace(
          loop_.port(), parts_->socket, kj::mv(stream), incarnation_, to_duration(limit));
      return parts_->heartbeat->start();
    });
  });
}

Status Connection::run_before_login(
    milliseconds timeout, kj::Function<kj::Promise<void>()> start, milliseconds waited) {
  Status timed_out;
  auto status = run([&] {
    auto end = loop_.after(to_duration(timeout)).then([&] {
      timed_out = unavailable(
          target_ +
          " is not a Troupe node, or it hangs: it took the connection, but did not "
          "answer within " +
          std::to_string((waited + timeout).count()) + " ms");
    });
    return start().exclusiveJoin(kj::mv(end));
  });
  return status.ok() ? timed_out : status;
}

Status Connection::run(kj::Function<kj::Promise<void>()> start) {
  try {
    loop_.run(kj::mv(start));
    return Status();
  } catch (const kj::Exception& error) {
    return status_of(error);
  }
}

Status Connection::run_within(milliseconds timeout, kj::Function<kj::Promise<void>()> start) {
  Status timed_out;
  auto status = run([&] {
    return with_timeout(start(), timeout, [&](Status late) { timed_out = std::move(late); });
  });
  return status.ok() ? timed_out : status;
}

Status Connection::run_until_idle(kj::Function<void()> work) {
  try {
    loop_.run_until_idle([&work]() -> kj::Promise<void> {
      work();
      return kj::READY_NOW;
    });
    return Status();
  } catch (const kj::Exception& error) {
    return status_of(error);
  }
}

void Connection::poll() {
  (void)run_until_idle([this] { loop_.port().poll(); });
}

bool Connection::is_lost() {
  poll();
  bool is_lost = false;
  (void)run_until_idle([&] { is_lost = parts_->is_lost; });
  return is_lost;
}

Status Connection::not_a_node(const std::string& reason) const {
  return failed_precondition(target_ + " is not a Troupe node: " + reason);
}

Status Connection::status_of(const kj::Exception& error) const {
  auto description = std::string(error.getDescription().cStr());
  if (!parts_)
    return unavailable(
        "cannot make a secret connection to " + target_ + " (" + description +
        "): its nodes must use TLS, too, with certificates of the same authority");
  if (!parts_->stream.fault().empty())
    return not_a_node("it does not speak Cap'n Proto (" + parts_->stream.fault() + ")");
  if (!is_logged_in_ && error.getType() == kj::Exception::Type::DISCONNECTED)
    return unavailable(
        target_ + " closed the connection before it answered (" + description +
        "): it is stopping, " +
        (credentials_ ? "" : "it asks for TLS, which TROUPE_TLS=FOLDER gives, ") +
        "or it is not a Troupe node");
  if (!is_logged_in_) return not_a_node(description);
  return lost_status(error.getType(), description).at({.task = task_});
}

Status Connection::lost_status(kj::Exception::Type type, const std::string& description) const {
  auto node = target_ + " (" + task_ + ")";
  switch (type) {
    case kj::Exception::Type::DISCONNECTED:
      return unavailable("the connection to " + node + " is lost: " + description);
    case kj::Exception::Type::OVERLOADED: return resource_exhausted(node + ": " + description);
    case kj::Exception::Type::UNIMPLEMENTED:
      return unimplemented(
          node + " does not know that call, so it is of an earlier release: update it (" +
          description + ")");
    default: return internal(node + ": " + description);
  }
}

Status Connection::timeout_status(milliseconds timeout) const {
  auto seconds = seconds_text(timeout);
  return deadline_exceeded(
             target_ + " (" + task_ + ") has not answered within the timeout of " + seconds)
      .at({.task = task_});
}

kj::Promise<void> Connection::after(milliseconds time) { return loop_.after(to_duration(time)); }

kj::Promise<void> Connection::with_timeout(
    kj::Promise<void> call, milliseconds timeout, kj::Function<void(Status)> on_timeout) {
  if (timeout.count() == 0) return call;
  auto end = loop_.after(to_duration(timeout) + to_duration(answer_time))
                 .then([this, timeout, on_timeout = kj::mv(on_timeout)]() mutable {
                   on_timeout(timeout_status(timeout));
                 });
  return call.exclusiveJoin(kj::mv(end));
}

}  // namespace troupe
