#include "troupe/actors/link/link.hpp"
#include "troupe/tests/actors/link/link_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr int64_t lent_bytes = 8 << 20;

struct LendingNodes : TwoNodes {
  explicit LendingNodes(uint64_t seed = 1) : TwoNodes(seed, /*lend_memory=*/true) {}

  Deliver large_tensor(uint64_t step, EdgeId edge) {
    return bytes(step, edge, lent_bytes, a.memory);
  }
  bool lies_in_memory_of_a(const Tensor& tensor) {
    return static_cast<Allocator&>(a.memory).shared_file()->contains(tensor.raw());
  }
};

/// A frame of a hostile peer, in place of the first node.
void inject(LinkedNodes& nodes, const Frame& frame) {
  auto slice = encode(frame);
  nodes.inject(0, slice.data, slice.size);
}

MessageFrame lending(uint64_t offset, uint64_t bytes) {
  return {
      .target = 1,
      .content_bytes = 8,
      .tensor_bytes = {bytes},
      .lent = {{.tensor = 0, .offset = offset, .number = 1}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lent_memory)

BOOST_AUTO_TEST_CASE(a_large_tensor_is_lent_and_not_sent) {
  LendingNodes nodes;
  auto before = nodes.bytes_moved;
  nodes.send(nodes.large_tensor(1, 7));
  nodes.run();
  BOOST_REQUIRE(nodes.b.delivered.size() == 1u);
  BOOST_TEST(nodes.bytes_moved - before < 10'000u);
  BOOST_TEST(nodes.b.delivered[0].tensors[0].elements() == lent_bytes);
  BOOST_TEST(TwoNodes::is_intact(nodes.b.delivered[0]));
}

BOOST_AUTO_TEST_CASE(its_memory_stays_taken_until_the_receiver_has_done_with_it) {
  LendingNodes nodes;
  nodes.send(nodes.large_tensor(1, 7));
  nodes.run();
  BOOST_TEST(nodes.a.memory.bytes_in_use() >= uint64_t{lent_bytes});
  nodes.b.delivered.clear();
  nodes.run();
  BOOST_TEST(nodes.a.memory.bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(nobody_writes_to_a_tensor_that_was_lent) {
  LendingNodes nodes;
  auto message = nodes.large_tensor(1, 7);
  nodes.send(message);
  nodes.run();
  BOOST_TEST(!message.tensors[0].is_sole_owner());
  const auto& received = nodes.b.delivered.at(0).tensors[0];
  BOOST_TEST(!received.is_sole_owner());
  BOOST_TEST(received.allocator() == &troupe::lent_memory());
}

BOOST_AUTO_TEST_CASE(small_tensors_and_those_of_other_memory_are_sent_beside_lent_ones) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    LendingNodes nodes(seed);
    nodes.chunk_max = size_t{1} << (4 + nodes.random() % 16);
    auto lent = nodes.large_tensor(1, 1).tensors[0];
    auto small = TwoNodes::bytes(1, 2, 5000, nodes.a.memory).tensors[0];
    auto heap = TwoNodes::bytes(1, 3, 2 << 20).tensors[0];
    nodes.send(
        {.step = {1, 1}, .edges = {{1}, {2}, {3}, {4}}, .tensors = {heap, lent, small, lent}});
    nodes.run();
    BOOST_REQUIRE(nodes.b.delivered.size() == 1u);
    const auto& tensors = nodes.b.delivered[0].tensors;
    BOOST_TEST(equal(tensors[0], heap));
    BOOST_TEST(equal(tensors[1], lent));
    BOOST_TEST(equal(tensors[2], small));
    BOOST_TEST(equal(tensors[3], lent));
  }
}

BOOST_AUTO_TEST_CASE(what_was_lent_outlives_its_link_until_the_receiver_has_done_with_it) {
  LendingNodes nodes;
  nodes.send(nodes.large_tensor(1, 7));
  nodes.run();
  nodes.cut();
  nodes.run();
  nodes.release_unused();
  BOOST_TEST(TwoNodes::is_intact(nodes.b.delivered.at(0)));
  BOOST_TEST(nodes.a.memory.bytes_in_use() >= uint64_t{lent_bytes});
  nodes.b.delivered.clear();
  nodes.release_unused();
  BOOST_TEST(nodes.a.memory.bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(a_step_that_ended_leaves_nothing_lent) {
  LendingNodes nodes;
  auto lent = nodes.large_tensor(1, 1);
  auto sent = TwoNodes::bytes(1, 2, 16 << 20);
  auto before = nodes.bytes_moved;
  nodes.send(
      {.step = {1, 1},
       .edges = {{1}, {2}},
       .tensors = {std::exchange(lent.tensors[0], {}), sent.tensors[0]}});
  nodes.run([&] { return nodes.bytes_moved - before > 2 << 20; });
  caf::anon_send(nodes.a.peer(), DiscardStep{.step = {1, 1}});
  nodes.run();
  BOOST_TEST(nodes.b.delivered.empty());
  BOOST_TEST(nodes.a.memory.bytes_in_use() == 0u);
  BOOST_TEST(nodes.b.memory.bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(links_that_break_at_any_moment_lose_no_memory) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    LendingNodes nodes(seed);
    nodes.chunk_max = size_t{1} << (nodes.random() % 12);
    auto end = nodes.bytes_moved + nodes.random() % 3000;
    for (uint64_t i = 1; i <= 4; ++i) nodes.send(nodes.large_tensor(i, i));
    nodes.run([&] {
      if (nodes.random() % 8 == 0) nodes.b.delivered.clear();
      return nodes.bytes_moved > end;
    });
    nodes.cut();
    nodes.run();
    for (const auto& message : nodes.b.delivered) BOOST_TEST(TwoNodes::is_intact(message));
    nodes.b.delivered.clear();
    nodes.release_unused();
    nodes.run();
    BOOST_TEST(nodes.a.memory.bytes_in_use() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_names_memory_it_did_not_lend_ends_its_link) {
  for (const auto& frame : std::initializer_list<Frame>{
           lending(uint64_t{1} << 60, lent_bytes), lending(0, uint64_t{1} << 60),
           lending(8, lent_bytes), ReturnedFrame{12345}}) {
    LendingNodes nodes;
    inject(nodes, frame);
    nodes.run();
    BOOST_TEST(nodes.open_ends() == 0u);
    BOOST_TEST(nodes.b.logged.size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(without_descriptors_no_memory_is_named) {
  for (const auto& frame : std::initializer_list<Frame>{
           lending(0, lent_bytes), MappedFrame(), ReturnedFrame{1}, MemoryFrame{.bytes = 4096}}) {
    TwoNodes nodes;
    inject(nodes, frame);
    nodes.run();
    BOOST_TEST(nodes.open_ends() == 0u);
    BOOST_TEST(nodes.b.logged.size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(where_the_descriptors_got_lost_tensors_are_sent) {
  LendingNodes nodes;
  inject(nodes, MemoryFrame{.bytes = 4096});
  nodes.run();
  BOOST_TEST(nodes.open_ends() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
