#include "troupe/actors/link/link.hpp"
#include "troupe/tests/actors/link/linked_cards.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr int64_t card_bytes = 2 << 20;

/// Two nodes of one host that have a card each.
struct NodesWithCards : Cards, TwoNodes {
  explicit NodesWithCards(
      uint64_t seed = 1, bool lend_memory = true, VirtualCards::Options options = {})
      : Cards(options), TwoNodes(seed, lend_memory) {
    a.open_region = accelerator::make_open_region({of_a});
    b.open_region = accelerator::make_open_region({of_b});
  }

  Deliver on_card(uint64_t step, EdgeId edge) {
    auto message = bytes(step, edge, card_bytes);
    message.tensors[0] = *of_a->copy_in(message.tensors[0]);
    cards.run();
    return message;
  }
  bool lends(const Deliver& message) {
    return Link::lends_to(caf::actor_cast<caf::strong_actor_ptr>(a.peer()), message.tensors.at(0));
  }
  /// As a device that asks until it may.
  void send_lent(const Deliver& message) {
    for (int round = 0; !lends(message) && round < 2; ++round) run();
    BOOST_TEST_REQUIRE(lends(message));
    send(message);
  }
  /// What the receiver's device makes of it.
  void copy_all() {
    for (auto& message : b.delivered) {
      auto copy = of_b->copy_in(message.tensors.at(0));
      BOOST_TEST_REQUIRE(copy.ok(), copy.status().to_string());
      BOOST_TEST((copy->allocator() == &of_b->allocator()));
      of_b->copy_to_host(*copy, [edges = message.edges](const Result<Tensor>& there) {
        BOOST_TEST(is_intact({.edges = edges, .tensors = {*there}}));
      });
    }
    b.delivered.clear();
  }
  /// Gives idle memory of the sender's card back.
  void trim() {
    of_a->trim();
    of_a->finish();
  }
  uint64_t in_use(const std::shared_ptr<accelerator::AcceleratorDevice>& device) {
    return device->allocator().use().bytes_in_use;
  }
};

void send_frame(LinkedNodes& nodes, const Frame& frame) {
  auto slice = encode(frame);
  nodes.inject(0, slice.data, slice.size);
}

MessageFrame lending_card(uint64_t region, uint64_t offset) {
  return {
      .target = 1,
      .content_bytes = 8,
      .tensor_bytes = {card_bytes},
      .lent = {{.tensor = 0, .offset = offset, .number = 1, .region = region}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(card_memory)

BOOST_AUTO_TEST_CASE(a_region_is_offered_with_its_first_tensor_and_lent_once_it_is_open) {
  NodesWithCards nodes;
  auto first = nodes.on_card(1, 7), second = nodes.on_card(1, 8);
  BOOST_TEST(!nodes.lends(first));
  BOOST_TEST(!nodes.lends(second));
  nodes.run();
  BOOST_TEST(nodes.cards.opened() == 1u);
  BOOST_TEST(nodes.lends(first));
  BOOST_TEST_REQUIRE(nodes.b.noted.size() == 1u);
  BOOST_TEST(nodes.b.noted[0] == "a peer of this host lends memory of its card bus 0");
  auto before = nodes.bytes_moved;
  nodes.send(first);
  nodes.send(second);
  nodes.run();
  BOOST_TEST_REQUIRE(nodes.b.delivered.size() == 2u);
  BOOST_TEST(nodes.bytes_moved - before < 2000u);
  nodes.copy_all();
  nodes.cards.run();
  BOOST_TEST(nodes.cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_tensor_is_kept_until_its_receiver_has_copied_it) {
  NodesWithCards nodes;
  nodes.send_lent(nodes.on_card(1, 7));
  nodes.run();
  nodes.copy_all();
  nodes.run();
  BOOST_TEST(nodes.in_use(nodes.of_a) == uint64_t{card_bytes});
  nodes.cards.run();
  nodes.run();
  BOOST_TEST(nodes.in_use(nodes.of_a) == 0u);
  BOOST_TEST(nodes.cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(where_regions_cannot_be_opened_or_shared_tensors_are_not_lent) {
  for (bool shares : {false, true}) {
    NodesWithCards nodes(1, true, {.share_memory = shares, .open_memory = false});
    auto message = nodes.on_card(1, 7);
    for (int i = 0; i < 3; ++i) {
      BOOST_TEST(!nodes.lends(message));
      nodes.run();
    }
    const auto& noted = shares ? nodes.b.noted : nodes.a.noted;
    BOOST_TEST_REQUIRE(noted.size() == 1u);
    BOOST_TEST(
        noted[0] == std::string("tensors between cards of this host are copied by way of its "
                                "memory: the card ") +
                        (shares ? "opens" : "shares") + " no memory");
    BOOST_TEST(nodes.open_ends() == 2u);
  }
}

BOOST_AUTO_TEST_CASE(without_mapped_memory_and_inside_of_a_process_nothing_is_lent) {
  NodesWithCards nodes(1, /*lend_memory=*/false);
  auto message = nodes.on_card(1, 7);
  BOOST_TEST(!nodes.lends(message));
  nodes.run();
  BOOST_TEST(!nodes.lends(message));
  BOOST_TEST(
      !Link::lends_to(caf::actor_cast<caf::strong_actor_ptr>(nodes.a.root), message.tensors[0]));
  BOOST_TEST(!Link::lends_to(nullptr, message.tensors[0]));
}

BOOST_AUTO_TEST_CASE(what_was_lent_outlives_its_link_until_the_receiver_has_closed_the_region) {
  NodesWithCards nodes;
  nodes.send_lent(nodes.on_card(1, 7));
  nodes.run();
  nodes.cut();
  nodes.run();
  nodes.release_unused();
  nodes.trim();
  BOOST_TEST(nodes.in_use(nodes.of_a) == uint64_t{card_bytes});
  BOOST_TEST(nodes.cards.opened() == 1u);
  nodes.copy_all();
  nodes.cards.run();
  BOOST_TEST(nodes.cards.opened() == 0u);
  nodes.release_unused();
  BOOST_TEST(nodes.in_use(nodes.of_a) == 0u);
  nodes.trim();
  BOOST_TEST(nodes.of_a->bytes_reserved() == 0u);
  BOOST_TEST(nodes.cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_region_stays_while_a_peer_may_have_it_open_though_nothing_is_lent) {
  NodesWithCards nodes;
  nodes.send_lent(nodes.on_card(1, 7));
  nodes.run();
  nodes.copy_all();
  nodes.cards.run();
  nodes.run();
  BOOST_TEST(nodes.in_use(nodes.of_a) == 0u);
  nodes.cut(/*only_first_end_notices=*/true);
  nodes.trim();
  BOOST_TEST(nodes.of_a->bytes_reserved() > 0u);
  BOOST_TEST(nodes.cards.fault() == "");
  nodes.cut();
  nodes.release_unused();
  nodes.trim();
  BOOST_TEST(nodes.of_a->bytes_reserved() == 0u);
}

BOOST_AUTO_TEST_CASE(links_that_break_at_any_moment_lose_no_memory_of_cards) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    NodesWithCards nodes(seed);
    nodes.chunk_max = size_t{1} << (nodes.random() % 12);
    auto end = nodes.bytes_moved + nodes.random() % 3000;
    auto stop = [&] {
      if (nodes.random() % 8 == 0) nodes.copy_all();
      if (nodes.random() % 8 == 0) nodes.cards.run();
      return nodes.bytes_moved > end;
    };
    for (uint64_t i = 1; i <= 6 && nodes.bytes_moved <= end; ++i) {
      auto message = nodes.on_card(i, static_cast<EdgeId>(i));
      if (nodes.lends(message)) nodes.send(message);
      nodes.run(stop);
    }
    nodes.cut();
    nodes.run();
    nodes.copy_all();
    nodes.cards.run();
    nodes.release_unused();
    BOOST_TEST(nodes.in_use(nodes.of_a) == 0u);
    BOOST_TEST(nodes.cards.opened() == 0u);
    BOOST_TEST_REQUIRE(nodes.cards.fault() == "", "seed " << seed << nodes.cards.fault());
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_breaks_the_rules_of_regions_ends_its_link) {
  for (const auto& frame : std::initializer_list<Frame>{
           lending_card(1, 0), lending_card(2, 0), OpenedFrame{0}, OpenedFrame{1},
           RegionFrame{.number = 0}, RegionFrame{.number = 1000}}) {
    NodesWithCards nodes;
    send_frame(nodes, frame);
    nodes.run();
    BOOST_TEST(nodes.open_ends() == 0u);
    BOOST_TEST(nodes.b.logged.size() == 1u);
  }
  NodesWithCards nodes;
  auto message = nodes.on_card(1, 7);
  nodes.lends(message);
  nodes.run();
  BOOST_TEST(nodes.lends(message));
  send_frame(nodes, lending_card(1, uint64_t{1} << 40));
  nodes.run();
  BOOST_TEST(nodes.open_ends() == 0u);
}

BOOST_AUTO_TEST_CASE(only_messages_for_devices_may_have_memory_of_a_card) {
  NodesWithCards nodes;
  auto message = nodes.on_card(1, 7);
  nodes.lends(message);
  nodes.run();
  caf::anon_send(
      nodes.a.peer(), StartStep{.step = {1, 1}, .feeds = std::exchange(message.tensors, {})});
  nodes.run();
  BOOST_TEST(nodes.open_ends() == 0u);
  nodes.release_unused();
  BOOST_TEST(nodes.in_use(nodes.of_a) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
