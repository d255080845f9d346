#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "troupe/graph/cluster/address.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"
#include "troupe/tests/process_usage.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

namespace troupe::testing {

/// A node with the usual limit of descriptors, and a session of a well-behaved client.
struct NodeUnderAttack {
  NodeCluster nodes = start();
  std::unique_ptr<Client> client = connect(nodes.target("worker", 0));
  std::unique_ptr<Session> session = open(*client);
  Builder b;
  Value sum = b.reduce_sum(b.constant(Tensor::of<float>({2}, {1, 2})));

  NodeUnderAttack() { BOOST_REQUIRE(session->extend(b).ok()); }

  static NodeCluster start() {
    rlimit all{};
    BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &all) == 0);
    auto usual = all;
    usual.rlim_cur = std::min<rlim_t>(1024, all.rlim_max);
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
    NodeCluster nodes({{"worker", 1}});
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &all) == 0);
    return nodes;
  }
  int port() { return Address::parse(nodes.target("worker", 0))->port; }
  ProcessUsage usage() { return usage_of(nodes.node("worker", 0).pid()); }

  /// Steps of the session succeed, and a new client can connect.
  void check_service() {
    for (int i = 0; i < 300; ++i)
      BOOST_REQUIRE(session->run({}, {sum}, {}, {.timeout = test_timeout}).ok());
    BOOST_TEST(connect(nodes.target("worker", 0))->node_info().ok());
  }
  /// Waits until the node has no more descriptors than that.
  bool holds_at_most(int descriptors) {
    auto end = std::chrono::steady_clock::now() + test_timeout;
    while (usage().descriptors > descriptors)
      if (std::chrono::steady_clock::now() > end) return false;
      else std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return true;
  }
};

/// The first bytes of a message of one segment of so many words.
inline Bytes header_of(uint32_t words) {
  Bytes bytes(8);
  std::memcpy(bytes.data() + 4, &words, sizeof words);
  return bytes;
}

}  // namespace troupe::testing
