#pragma once

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe::testing {

/// A connection to a node by Cap'n Proto's own client.
struct PlainClient {
  explicit PlainClient(FakeNode& node) : PlainClient(node.rpc_server->port()) {}
  explicit PlainClient(int port)
      : socket(io.provider->getNetwork()
                   .parseAddress("127.0.0.1", static_cast<kj::uint>(port))
                   .wait(io.waitScope)
                   ->connect()
                   .wait(io.waitScope)),
        client(*socket),
        bootstrap(client.bootstrap().castAs<rpc::Login>()) {}

  auto login(uint32_t version) {
    auto request = bootstrap.loginRequest();
    request.setProtocolVersion(version);
    return request.send();
  }

  kj::AsyncIoContext io = kj::setupAsyncIo();
  kj::Own<kj::AsyncIoStream> socket;
  capnp::TwoPartyClient client;
  rpc::Login::Client bootstrap;
};

}  // namespace troupe::testing
