#include "troupe/capnp/server/login_server.hpp"

#include <kj/memory.h>

#include <string>
#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/master_server.hpp"

namespace troupe {
namespace {

class LoginServer final : public rpc::Login::Server {
 public:
  LoginServer(KjUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory)
      : unit_(unit), service_(service), memory_(std::move(memory)) {}

  kj::Promise<void> login(LoginContext context) override;
  kj::Promise<void> peer(PeerContext context) override;

 private:
  KjUnit& unit_;
  const Service& service_;
  std::shared_ptr<MessageMemory> memory_;
};

Status check_version(uint32_t version) {
  if (version == protocol::version) return Status();
  return failed_precondition(
      "the client speaks version " + std::to_string(version) + " of the protocol, this node " +
      std::to_string(protocol::version) + ": bring both to the same release");
}

kj::Promise<void> LoginServer::login(LoginContext context) {
  auto status = check_version(context.getParams().getProtocolVersion());
  fill(context.getResults().initStatus(), status);
  if (status.ok())
    context.getResults().setMaster(make_master_server(unit_, service_.master, memory_));
  return kj::READY_NOW;
}

kj::Promise<void> LoginServer::peer(PeerContext context) {
  fill(context.getResults().initStatus(), Status());
  auto identity = context.getResults().initIdentity();
  identity.setJob(service_.identity.job);
  identity.setTask(static_cast<uint32_t>(service_.identity.task));
  identity.setIncarnation(service_.identity.incarnation);
  identity.setProtocolVersion(service_.identity.protocol_version);
  identity.setActorPort(service_.identity.actor_port);
  return kj::READY_NOW;
}

}  // namespace

rpc::Login::Client make_login_server(
    KjUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory) {
  return kj::heap<LoginServer>(unit, service, std::move(memory));
}

}  // namespace troupe
