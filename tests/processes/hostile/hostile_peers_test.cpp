#include <random>
#include <string>

#include "troupe/actors/link/frame.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/processes/support/node_under_attack.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// Connections that say that they are links of a node.
struct NodeWithHostilePeers : NodeUnderAttack {
  uint32_t version = client->node_info()->protocol_version;
  ProcessUsage before = usage();

  static Bytes bytes_of(const Frame& frame) {
    auto slice = encode(frame);
    const auto* data = static_cast<const uint8_t*>(slice.data);
    return {data, data + slice.size};
  }
  RawSocket connect_as_peer() {
    RawSocket peer(port());
    BOOST_REQUIRE(peer.send(Bytes(protocol::link.begin(), protocol::link.end())));
    return peer;
  }
  /// A link that is open for the node.
  RawSocket open_link(char node) {
    auto peer = connect_as_peer();
    HelloFrame hello{
        .version = version, .node = ProcessIdentity(process_identity_bytes, node), .root_actor = 1};
    BOOST_REQUIRE(peer.send(bytes_of(hello)));
    BOOST_REQUIRE(peer.send(bytes_of(ConfirmFrame())));
    return peer;
  }
  /// The node has forgotten the connections, and has served others meanwhile.
  void check_unharmed() {
    check_service();
    BOOST_TEST(holds_at_most(before.descriptors));
    BOOST_TEST(usage().memory_mib < before.memory_mib + with_instrumentation(30));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_peers, NodeWithHostilePeers)

BOOST_AUTO_TEST_CASE(random_bytes_end_a_link_before_and_after_it_is_open) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes(8 * (1 + random() % 200));
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random() % 4 ? random() % 3 : random());
    auto peer = i % 2 ? open_link(static_cast<char>(i)) : connect_as_peer();
    peer.send(bytes);
    peer.finish();
    BOOST_REQUIRE(peer.await_close());
  }
  check_unharmed();
}

BOOST_AUTO_TEST_CASE(connections_that_stop_within_a_frame_take_little_memory) {
  std::vector<RawSocket> peers;
  auto hello = bytes_of(
      HelloFrame{.version = version, .node = ProcessIdentity(process_identity_bytes, 'h')});
  hello.resize(hello.size() - 8);
  for (int i = 0; i < 100; ++i) {
    peers.push_back(connect_as_peer());
    peers.back().send(i % 2 ? hello : Bytes(1024));
  }
  check_service();
  BOOST_TEST(usage().memory_mib < before.memory_mib + with_instrumentation(20));
  peers.clear();
  check_unharmed();
}

BOOST_AUTO_TEST_CASE(lengths_beyond_all_bounds_end_the_link) {
  for (uint32_t words : {0xffffffffu, 0x7fffffffu, 1u << 21}) {
    auto peer = open_link('l');
    peer.send(header_of(words));
    BOOST_TEST(peer.await_close());
  }
  auto peer = connect_as_peer();
  peer.send(header_of(link_limits::frame_bytes_before_open));
  BOOST_TEST(peer.await_close());
  check_unharmed();
}

BOOST_AUTO_TEST_CASE(messages_that_break_the_rules_end_the_link) {
  MessageFrame garbage{.target = 1, .content_bytes = 64};
  MessageFrame too_large{.target = 1, .content_bytes = link_limits::inline_bytes_max + 8};
  MessageFrame endless{.target = 1, .transfer = 1, .content_bytes = uint64_t{1} << 60};
  for (const Frame& frame :
       {Frame(garbage), Frame(too_large), Frame(endless), Frame(PieceFrame{7, 8}),
        Frame(GrantFrame{7}), Frame(WithdrawnFrame{7}), Frame(ConfirmFrame()),
        Frame(HelloFrame{.version = version})}) {
    auto peer = open_link('m');
    peer.send(bytes_of(frame));
    peer.send(Bytes(64, 0xff));
    BOOST_TEST(peer.await_close(), "frame " << frame.index());
  }
  check_unharmed();
}

BOOST_AUTO_TEST_CASE(what_is_announced_and_never_sent_takes_no_memory) {
  std::vector<RawSocket> peers;
  for (char node = 1; node <= 10; ++node) {
    peers.push_back(open_link(node));
    for (uint64_t transfer = 1; transfer <= 100; ++transfer)
      peers.back().send(bytes_of(MessageFrame{
          .target = 1,
          .transfer = transfer,
          .content_bytes = 8,
          .tensor_bytes = {uint64_t{100} << 20}}));
  }
  check_service();
  BOOST_TEST(usage().memory_mib < before.memory_mib + with_instrumentation(50));
  peers.clear();
  check_unharmed();
}

BOOST_AUTO_TEST_SUITE_END()
