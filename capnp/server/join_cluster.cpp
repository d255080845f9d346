#include "troupe/capnp/server/join_cluster.hpp"

#include <string>

#include "troupe/capnp/server/ask_door.hpp"
#include "troupe/capnp/server/convert_joined.hpp"

namespace troupe {

kj::Promise<Result<Joined>> join_cluster(
    kj::AsyncIoProvider& io, const Address& address, std::chrono::milliseconds timeout,
    const Join& wish) {
  return ask_door<Joined>(io, address, timeout, [wish](rpc::Login::Client door) {
    auto request = door.joinRequest();
    fill(request, wish);
    return request.send().then([](auto response) { return to_joined(response); });
  });
}

}  // namespace troupe
