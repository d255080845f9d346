#include "troupe/capnp/server/peer/find_endpoint.hpp"

#include <limits>
#include <string>

#include "troupe/capnp/server/peer/peer_client.hpp"

namespace troupe {
namespace {

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

}  // namespace

kj::Promise<Result<Endpoint>> find_endpoint(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout) {
  return call_peer<Endpoint>(io, address, timeout, [host = address.host](rpc::Login::Client login) {
    return login.peerRequest().send().then(
        [host](auto response) { return to_endpoint(response, host); });
  });
}

}  // namespace troupe
