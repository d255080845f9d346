#include "troupe/capnp/server/peer/peer_network.hpp"

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"

namespace troupe {

kj::Promise<kj::Own<kj::AsyncIoStream>> PeerNetwork::dial(const Address& address) {
  return kj::evalNow([&] {
           return io_.getNetwork().parseAddress(address.host, static_cast<kj::uint>(address.port));
         })
      .then([](kj::Own<kj::NetworkAddress> found) {
        auto connected = found->connect();
        return connected.attach(kj::mv(found));
      })
      .then([](kj::Own<kj::AsyncIoStream> connection) {
        tune_socket(KJ_ASSERT_NONNULL(connection->getFd()));
        return connection;
      });
}

kj::Promise<kj::Own<kj::AsyncIoStream>> PeerNetwork::secure(kj::Own<kj::AsyncIoStream> connection) {
  if (!credentials_) return kj::mv(connection);
  auto late = timer().afterDelay(protocol::login_time.count() * kj::SECONDS).then([] {
    return kj::Promise<kj::Own<kj::AsyncIoStream>>(
        KJ_EXCEPTION(DISCONNECTED, "it does not speak TLS"));
  });
  return credentials_->as_client(kj::mv(connection)).exclusiveJoin(kj::mv(late));
}

kj::Promise<kj::Own<kj::AsyncIoStream>> PeerNetwork::connect(const Address& address) {
  return dial(address).then(
      [this](kj::Own<kj::AsyncIoStream> connection) { return secure(kj::mv(connection)); });
}

}  // namespace troupe
