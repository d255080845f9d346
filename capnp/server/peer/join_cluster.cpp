#include "troupe/capnp/server/peer/join_cluster.hpp"

#include <string>

#include "troupe/capnp/server/peer/convert_joined.hpp"
#include "troupe/capnp/server/peer/peer_client.hpp"

namespace troupe {

kj::Promise<Result<Joined>> join_cluster(
    PeerNetwork& network, const Address& address, std::chrono::milliseconds timeout,
    const Join& request) {
  return call_peer<Joined>(network, address, timeout, [request](rpc::Login::Client login) {
    auto call = login.joinRequest();
    fill(call, request);
    return call.send().then([](auto response) { return to_joined(response); });
  });
}

}  // namespace troupe
