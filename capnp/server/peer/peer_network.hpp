#pragma once

#include <kj/async-io.h>

#include <memory>

#include "troupe/capnp/tls/credentials.hpp"
#include "troupe/graph/cluster/address.hpp"

namespace troupe {

/// How an event loop reaches other nodes.
class PeerNetwork {
 public:
  /// `io` must outlive it and its promises. Without credentials, connections are not encrypted.
  PeerNetwork(kj::AsyncIoProvider& io, std::shared_ptr<Credentials> credentials)
      : io_(io), credentials_(std::move(credentials)) {}

  /// A connection to what listens at the address.
  kj::Promise<kj::Own<kj::AsyncIoStream>> dial(const Address& address);
  /// That connection encrypted, if this cluster's are.
  kj::Promise<kj::Own<kj::AsyncIoStream>> secure(kj::Own<kj::AsyncIoStream> connection);
  /// Both.
  kj::Promise<kj::Own<kj::AsyncIoStream>> connect(const Address& address);

  kj::Timer& timer() { return io_.getTimer(); }
  const std::shared_ptr<Credentials>& credentials() const { return credentials_; }

 private:
  kj::AsyncIoProvider& io_;
  std::shared_ptr<Credentials> credentials_;
};

}  // namespace troupe
