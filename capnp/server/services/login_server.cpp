#include "troupe/capnp/server/services/login_server.hpp"

#include <kj/memory.h>

#include <algorithm>
#include <string>
#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/peer/convert_joined.hpp"
#include "troupe/capnp/server/services/ask.hpp"
#include "troupe/capnp/server/services/master_server.hpp"

namespace troupe {
namespace {

class LoginServer final : public rpc::Login::Server {
 public:
  LoginServer(
      EventLoopExecutionUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
      kj::Function<void()> on_login)
      : unit_(unit), service_(service), memory_(std::move(memory)), on_login_(kj::mv(on_login)) {}

  kj::Promise<void> login(LoginContext context) override;
  kj::Promise<void> peer(PeerContext context) override;
  kj::Promise<void> join(JoinContext context) override;

 private:
  EventLoopExecutionUnit& unit_;
  const Service& service_;
  std::shared_ptr<MessageMemory> memory_;
  kj::Function<void()> on_login_;
};

Status check_version(uint32_t version) {
  if (version >= protocol::oldest_version) return Status();
  return failed_precondition(
      "the client speaks version " + std::to_string(version) +
      " of the protocol, this node takes versions from " +
      std::to_string(protocol::oldest_version) + " on: update the client");
}

void fill_identity(rpc::NodeIdentity::Builder to, const NodeIdentity& identity) {
  to.setJob(identity.job);
  to.setTask(static_cast<uint32_t>(identity.task));
  to.setIncarnation(identity.incarnation);
  to.setProtocolVersion(identity.protocol_version);
}

/// What a client calls itself, without what a terminal would act on and JSON could not hold.
std::string client_name(capnp::Text::Reader claimed) {
  constexpr size_t bytes_max = 200;
  std::string name(claimed.cStr(), std::min(claimed.size(), bytes_max));
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return name;
}

kj::Promise<void> LoginServer::login(LoginContext context) {
  auto version = context.getParams().getProtocolVersion();
  auto status = check_version(version);
  fill(context.getResults().initStatus(), status);
  if (!status.ok()) return kj::READY_NOW;
  on_login_();
  memory_->set_takes_sources(version >= protocol::sources_version);
  context.getResults().setProtocolVersion(protocol::version);
  context.getResults().setMaster(
      make_master_server(unit_, service_, memory_, client_name(context.getParams().getClient())));
  fill_identity(context.getResults().initIdentity(), service_.identity);
  return kj::READY_NOW;
}

kj::Promise<void> LoginServer::peer(PeerContext context) {
  fill(context.getResults().initStatus(), Status());
  fill_identity(context.getResults().initIdentity(), service_.identity);
  return kj::READY_NOW;
}

kj::Promise<void> LoginServer::join(JoinContext context) {
  on_login_();
  auto request = [&](Done<Joined> done) {
    tell(service_.master, AdmitTask{to_join(context.getParams()), std::move(done)}, &unit_);
  };
  return ask<Result<Joined>>(unit_, request).then([context](Result<Joined> joined) mutable {
    fill(context.getResults().initStatus(), joined.status());
    if (joined) fill(context.getResults(), *joined);
  });
}

}  // namespace

rpc::Login::Client make_login_server(
    EventLoopExecutionUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
    kj::Function<void()> on_login) {
  return kj::heap<LoginServer>(unit, service, std::move(memory), kj::mv(on_login));
}

}  // namespace troupe
