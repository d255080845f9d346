#include "troupe/actors/link/link.hpp"
#include "troupe/tests/actors/link/linked_cards.hpp"

using namespace troupe;
using namespace troupe::testing;
using accelerator::FillingMemory;

namespace {

constexpr int64_t filled_bytes = 12 << 20;      // of a tensor, in three pieces of the copy
constexpr uint64_t copy_piece_bytes = 4 << 20;  // at most

/// Two nodes of two machines, of which the first sends tensors of its card. A byte takes a
/// nanosecond to be copied to the host, and as long on the wire.
struct TwoMachines : Cards, TwoNodes {
  explicit TwoMachines(uint64_t seed = 1, bool lend_memory = false)
      : Cards({.bytes_per_ns = 1}), TwoNodes(seed, lend_memory) {
    before = bytes_moved;
  }

  Tensor on_card(EdgeId edge, int64_t count = filled_bytes) {
    auto value = *of_a->copy_in(bytes(1, edge, count).tensors[0]);
    cards.run();
    return value;
  }
  bool lends(const caf::strong_actor_ptr& to, const Tensor& tensor) {
    return Link::lends_to(to, tensor);
  }
  /// As a device that sends it, in step `edge`.
  void send_copy(EdgeId edge, const Tensor& value, bool in_part = false) {
    of_a->copy_to_host_in_pieces(
        value,
        [this, edge, in_part](const Tensor& copy) {
          BOOST_TEST(lends(caf::actor_cast<caf::strong_actor_ptr>(a.peer()), copy));
          send({{1, static_cast<uint64_t>(edge)}, {{edge}}, {copy}, in_part});
        },
        [this](const Result<Tensor>& copy) { ended.push_back(copy.status()); });
  }
  /// Runs the links and then what is next of the cards, until `stop` or nothing is left to do.
  void run_both(const std::function<bool()>& stop = [] { return false; }) {
    do {
      auto moved = bytes_moved;
      run();
      wire_ns = std::max(wire_ns, cards.now().count()) + static_cast<int64_t>(bytes_moved - moved);
    } while (!stop() && cards.run_next());
  }
  bool has_moved(uint64_t bytes) const { return bytes_moved - before >= bytes; }
  void check_delivered(std::vector<EdgeId> edges) {
    auto delivered = delivered_edges();
    std::ranges::sort(delivered);
    BOOST_TEST(delivered == edges, boost::test_tools::per_element());
    for (const auto& message : b.delivered) BOOST_TEST(is_intact(message));
    BOOST_TEST(cards.fault() == "");
  }
  uint64_t pinned_bytes_in_use() { return of_a->host_allocator().use().bytes_in_use; }

  uint64_t before = 0;
  int64_t wire_ns = 0;  // when the wire is free again
  std::vector<Status> ended;
};

/// The second of them has a card, too, and copies there what arrives in part.
struct TwoCards : TwoMachines {
  explicit TwoCards(uint64_t seed = 1) : TwoMachines(seed) {}
  ~TwoCards() { copies.clear(); }

  void send_in_part(EdgeId edge, const Tensor& value) { send_copy(edge, value, /*in_part=*/true); }
  void run_cards(const std::function<bool()>& stop = [] { return false; }) {
    run_both([&] {
      for (; taken < b.delivered.size(); ++taken)
        of_b->copy_in_in_pieces(
            b.delivered[taken].tensors[0],
            [this, edge = b.delivered[taken].edges[0].edge](Tensor copy) {
              copies.emplace(edge, std::move(copy));
            });
      return stop();
    });
  }
  /// Whether the copy on the second card is what was sent.
  bool is_copied(EdgeId edge) {
    if (!copies.contains(edge) || device_of(copies.at(edge)) != of_b.get()) return false;
    Tensor fetched;
    of_b->copy_to_host(copies.at(edge), [&](const Result<Tensor>& copy) { fetched = *copy; });
    cards.run();
    return is_intact({.step = {}, .edges = {{edge}}, .tensors = {fetched}});
  }
  uint64_t card_bytes_in_use() { return of_b->allocator().use().bytes_in_use; }

  size_t taken = 0;
  std::map<EdgeId, Tensor> copies;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(filling_tensor)

BOOST_AUTO_TEST_CASE(a_tensor_is_on_the_wire_while_it_is_copied) {
  TwoMachines machines;
  auto value = machines.on_card(7);
  auto begin = machines.cards.now().count();
  machines.send_copy(7, value);
  machines.run_both();
  machines.check_delivered({7});
  BOOST_TEST(machines.ended.at(0).ok());
  constexpr int64_t last_pieces = copy_piece_bytes + link_limits::piece_bytes_max + 100'000;
  BOOST_TEST(machines.wire_ns - begin < filled_bytes + last_pieces);
  value = Tensor();
  machines.b.delivered.clear();
  BOOST_TEST(machines.pinned_bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(the_card_of_the_receiver_copies_a_tensor_while_it_arrives) {
  TwoCards machines;
  auto value = machines.on_card(7);
  auto begin = machines.cards.now().count();
  machines.send_in_part(7, value);
  machines.run_cards();
  auto end = machines.cards.now().count();
  BOOST_TEST(machines.is_copied(7));
  constexpr int64_t last_pieces = copy_piece_bytes + link_limits::piece_bytes_max + 100'000;
  BOOST_TEST(end - begin < filled_bytes + last_pieces);
  BOOST_TEST(machines.cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(what_may_not_arrive_in_part_is_given_on_whole) {
  TwoMachines machines;
  machines.send_copy(7, machines.on_card(7));
  machines.run_both([&] {
    BOOST_TEST((machines.has_moved(filled_bytes) || machines.b.delivered.empty()));
    return false;
  });
  BOOST_TEST(!FillingMemory::of(machines.b.delivered.at(0).tensors.at(0)));
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_withdrawn_while_it_arrives_is_not_given_on) {
  for (bool fails : {false, true}) {
    TwoCards machines;
    machines.send_in_part(7, machines.on_card(7));
    machines.run_cards([&] { return machines.taken > 0; });
    BOOST_TEST(machines.card_bytes_in_use() >= uint64_t{filled_bytes});
    if (fails) {
      auto& card = dynamic_cast<VirtualCards::Card&>(machines.of_a->driver());
      card.launch(
          "Bad", std::chrono::nanoseconds(1), {}, [] { return internal("an illegal address"); });
    } else {
      caf::anon_send(machines.a.peer(), DiscardStep{{1, 7}});
    }
    machines.run_cards();
    BOOST_TEST(machines.copies.empty());
    BOOST_TEST(FillingMemory::of(machines.b.delivered.at(0).tensors[0])->has_failed());
    machines.b.delivered.clear();
    BOOST_TEST(machines.card_bytes_in_use() == 0u);
    BOOST_TEST(machines.b.memory.bytes_in_use() == 0u);
    BOOST_TEST(machines.open_ends() == 2u);
  }
}

BOOST_AUTO_TEST_CASE(links_that_break_while_tensors_arrive_give_none_on_that_is_not_whole) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TwoCards machines(seed);
    machines.send_in_part(7, machines.on_card(7));
    machines.send_in_part(8, machines.on_card(8));
    auto end = machines.random() % (2 * filled_bytes);
    machines.run_cards([&] { return machines.has_moved(end); });
    machines.cut();
    machines.run_cards();
    for (const auto& [edge, copy] : machines.copies) BOOST_TEST(machines.is_copied(edge));
    machines.copies.clear();
    machines.b.delivered.clear();
    BOOST_TEST(machines.card_bytes_in_use() == 0u);
    BOOST_TEST(machines.b.memory.bytes_in_use() == 0u);
    BOOST_TEST_REQUIRE(machines.cards.fault() == "", "seed " << seed << machines.cards.fault());
  }
}

BOOST_AUTO_TEST_CASE(only_a_message_in_pieces_that_lends_nothing_may_be_in_part) {
  LentTensor lent{.tensor = 0, .offset = 0, .number = 1};
  MessageFrame in_part{.target = 1, .content_bytes = 8, .tensor_bytes = {100}, .in_part = true};
  auto lending = in_part;
  lending.transfer = 1;
  lending.lent = {lent};
  for (const auto& frame : {in_part, lending}) {
    TwoMachines machines;
    auto slice = encode(frame);
    machines.inject(0, slice.data, slice.size);
    machines.run();
    BOOST_TEST(machines.open_ends() == 0u);
    BOOST_TEST(machines.b.logged.at(0).find("in part") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(nothing_waits_for_a_tensor_that_is_copied) {
  TwoMachines machines;
  auto value = machines.on_card(7);
  machines.send_copy(7, value);
  machines.send(TwoMachines::bytes(1, 8, 2 << 20));
  machines.send(TwoMachines::bytes(1, 9, 10));
  machines.run();
  machines.check_delivered({8, 9});
  machines.run_both();
  machines.check_delivered({7, 8, 9});
}

BOOST_AUTO_TEST_CASE(a_tensor_whose_card_fails_is_withdrawn_and_all_else_goes_on) {
  for (auto fails_after : {uint64_t{1}, 2 * copy_piece_bytes}) {
    TwoMachines machines;
    auto value = machines.on_card(7);
    machines.send_copy(7, value);
    auto& card = dynamic_cast<VirtualCards::Card&>(machines.of_a->driver());
    card.launch("Long", std::chrono::nanoseconds(fails_after), {}, [] { return Status(); });
    card.launch(
        "Bad", std::chrono::nanoseconds(1), {}, [] { return internal("an illegal address"); });
    machines.run_both();
    machines.send(TwoMachines::bytes(1, 8, 2 << 20));
    machines.run_both();
    machines.check_delivered({8});
    BOOST_TEST(machines.ended.at(0).message() == "an illegal address");
    BOOST_TEST(machines.open_ends() == 2u);
    machines.b.delivered.clear();
    BOOST_TEST(machines.b.memory.bytes_in_use() == 0u);
    BOOST_TEST(machines.pinned_bytes_in_use() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_tensor_of_a_step_that_has_ended_is_withdrawn_and_copied_to_its_end) {
  TwoMachines machines;
  auto value = machines.on_card(7);
  machines.send_copy(7, value);
  machines.run_both([&] { return machines.has_moved(copy_piece_bytes / 2); });
  caf::anon_send(machines.a.peer(), DiscardStep{{1, 7}});
  machines.run();
  BOOST_TEST(machines.b.memory.bytes_in_use() == 0u);
  BOOST_TEST(machines.pinned_bytes_in_use() > uint64_t{filled_bytes});
  machines.run_both();
  machines.check_delivered({});
  BOOST_TEST(machines.ended.at(0).ok());
  BOOST_TEST(machines.open_ends() == 2u);
  BOOST_TEST(machines.pinned_bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(what_would_be_lent_or_stays_in_the_process_is_sent_when_it_is_full) {
  TwoMachines machines(1, /*lend_memory=*/true);
  auto peer = caf::actor_cast<caf::strong_actor_ptr>(machines.a.peer());
  auto of_file = *Tensor::allocate(DType::uint8, {filled_bytes}, machines.a.memory);
  auto of_heap = *Tensor::allocate(DType::uint8, {filled_bytes});
  BOOST_TEST(!machines.lends(peer, FillingMemory::begin(of_file)));
  auto filling = FillingMemory::begin(of_heap);
  BOOST_TEST(machines.lends(peer, filling));
  auto local = caf::actor_cast<caf::strong_actor_ptr>(machines.a.root);
  BOOST_TEST(!machines.lends(local, filling));
  BOOST_TEST(!machines.lends(nullptr, filling));
  machines.cut();
  machines.run();
  BOOST_TEST(!machines.lends(peer, filling));
}

BOOST_AUTO_TEST_CASE(memory_that_could_be_lent_is_sent_where_it_was_not_full) {
  TwoMachines machines(1, /*lend_memory=*/true);
  auto tensor = *Tensor::allocate(DType::uint8, {filled_bytes}, machines.a.memory);
  auto filling = FillingMemory::begin(tensor);
  machines.send({.step = {1, 7}, .edges = {{7}}, .tensors = {filling}});
  machines.run();
  std::memset(tensor.mutable_raw(), 7, filled_bytes);
  FillingMemory::of(filling)->set_ready(filled_bytes);
  machines.run();
  machines.check_delivered({7});
  BOOST_TEST(machines.has_moved(filled_bytes));
}

BOOST_AUTO_TEST_CASE(links_that_break_while_tensors_are_copied_harm_no_memory) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TwoMachines machines(seed);
    Tensors values = {machines.on_card(7), machines.on_card(8)};
    machines.send_copy(7, values[0]);
    machines.send_copy(8, values[1]);
    auto end = machines.random() % (2 * filled_bytes);
    machines.run_both([&] { return machines.has_moved(end); });
    machines.cut();
    machines.run_both();
    BOOST_TEST(machines.ended.size() == 2u);
    for (const auto& message : machines.b.delivered) BOOST_TEST(TwoMachines::is_intact(message));
    BOOST_TEST(machines.pinned_bytes_in_use() == 0u);
    BOOST_TEST_REQUIRE(machines.cards.fault() == "", "seed " << seed << machines.cards.fault());
  }
}

BOOST_AUTO_TEST_SUITE_END()
