#include "troupe/actors/link/link.hpp"

#include "troupe/actors/error.hpp"
#include "troupe/tests/actors/link/link_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Requests of an actor of a node, and how they ended.
struct Asker {
  Asker(LinkedNodes::Node& node, const caf::actor& whom) {
    actor = node.system.spawn([this, whom](caf::event_based_actor* self) {
      self->request(whom, caf::infinite, Ping{{.from_job = "asker"}})
          .then([this](const Status&) { ++answers; }, [this](const caf::error&) { ++errors; });
      self->monitor(whom);
      self->set_down_handler([this](const caf::down_msg& down) {
        ++downs;
        reason = why_link_ended(down.reason);
      });
      return caf::behavior{[](int) {}};
    });
  }
  ~Asker() { caf::anon_send_exit(actor, caf::exit_reason::user_shutdown); }
  caf::actor actor;
  int answers = 0;
  int errors = 0;
  int downs = 0;
  std::string reason;  // of the last one
};

}  // namespace

BOOST_AUTO_TEST_SUITE(links)

BOOST_AUTO_TEST_CASE(a_request_over_a_link_is_answered) {
  TwoNodes nodes;
  BOOST_TEST(nodes.a.peer().id() == nodes.b.root.id());
  BOOST_TEST((nodes.a.peer().node() != nodes.a.root.node()));
  Asker asker(nodes.a, nodes.a.peer());
  nodes.run();
  BOOST_TEST(asker.answers == 1);
  BOOST_TEST(asker.errors == 0);
  BOOST_TEST((nodes.b.sender->node() != nodes.b.root.node()));
}

BOOST_AUTO_TEST_CASE(tensors_of_all_sizes_arrive_intact_however_the_stream_is_cut_into_chunks) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TwoNodes nodes(seed);
    nodes.chunk_max = size_t{1} << (nodes.random() % 20);
    std::vector<int64_t> sizes{0, 1, 4095, 4096, 4097, 20'001, 1 << 20, (1 << 20) + 1};
    if (nodes.chunk_max > 1000) sizes.insert(sizes.end(), {3'000'001, 10 << 20});
    for (size_t i = 0; i < sizes.size(); ++i) nodes.send(TwoNodes::bytes(i, i + 1, sizes[i]));
    nodes.run();
    BOOST_REQUIRE(nodes.b.delivered.size() == sizes.size());
    for (const auto& message : nodes.b.delivered) {
      BOOST_TEST(message.tensors[0].elements() == sizes[message.edges[0].edge - 1]);
      BOOST_TEST(TwoNodes::is_intact(message));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_message_may_mix_strings_small_large_and_dead_tensors) {
  TwoNodes nodes;
  auto large = TwoNodes::bytes(1, 7, 2 << 20).tensors[0];
  nodes.send(
      {.step = {1, 1},
       .edges = {{1}, {2}, {3}, {4}, {5}},
       .tensors = {Tensor::string("word"), large, Tensor(), Tensor::scalar(2.5), large}});
  nodes.run();
  BOOST_REQUIRE(nodes.b.delivered.size() == 1u);
  const auto& tensors = nodes.b.delivered[0].tensors;
  BOOST_TEST(tensors[0].value<std::string>() == "word");
  BOOST_TEST(equal(tensors[1], large));
  BOOST_TEST(!tensors[2].is_set());
  BOOST_TEST(tensors[3].value<double>() == 2.5);
  BOOST_TEST(equal(tensors[4], large));
}

BOOST_AUTO_TEST_CASE(a_small_message_of_another_step_passes_a_large_one) {
  TwoNodes nodes;
  nodes.send(TwoNodes::bytes(1, 1, 64 << 20));
  nodes.run([&] { return nodes.bytes_moved > 4 << 20; });
  nodes.send(TwoNodes::bytes(2, 2, 100));
  auto before = nodes.bytes_moved;
  nodes.run([&] { return !nodes.b.delivered.empty(); });
  BOOST_TEST(nodes.b.delivered.at(0).step.number == 2u);
  BOOST_TEST(nodes.bytes_moved - before < 4u << 20);
  nodes.run();
  BOOST_TEST(nodes.b.delivered.size() == 2u);
}

BOOST_AUTO_TEST_CASE(large_messages_take_turns) {
  TwoNodes nodes;
  nodes.send(TwoNodes::bytes(1, 1, 64 << 20));
  nodes.run([&] { return nodes.bytes_moved > 4 << 20; });
  nodes.send(TwoNodes::bytes(2, 2, 4 << 20));
  nodes.run();
  BOOST_TEST(
      nodes.delivered_edges() == (std::vector<EdgeId>{2, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(
    tensors_of_a_step_that_ended_stop_on_their_way_and_their_memory_is_given_back) {
  for (uint64_t moved : {0u, 100u, 1u << 20, 5u << 20}) {
    TwoNodes nodes;
    std::weak_ptr<int> sent_memory;
    auto add = [&](uint64_t step, EdgeId edge) {
      auto held = std::make_shared<int>();
      sent_memory = held;
      auto message = TwoNodes::bytes(step, edge, 16 << 20);
      auto* data = message.tensors[0].mutable_raw();
      message.tensors[0] = Tensor::alias(
          DType::uint8, {16 << 20}, data, [held, owner = message.tensors[0]]() mutable {});
      nodes.send(message);
    };
    add(2, 2);
    add(1, 1);
    add(1, 3);
    auto begin = nodes.bytes_moved;
    nodes.run([&] { return nodes.bytes_moved - begin >= moved; });
    caf::anon_send(nodes.a.peer(), ListStepWaits{{1, 1}});  // waits for the step's tensors
    caf::anon_send(nodes.a.peer(), DiscardStep{{1, 1}});
    nodes.run();
    BOOST_TEST(
        nodes.delivered_edges() == (std::vector<EdgeId>{2}), boost::test_tools::per_element());
    BOOST_TEST(nodes.b.explained == (std::vector<uint64_t>{1}));
    BOOST_TEST(nodes.bytes_moved - begin < (16u << 20) + moved + (4u << 20));
    BOOST_TEST(sent_memory.expired());
    BOOST_TEST(nodes.b.memory.bytes_in_use() < 17u << 20);
    BOOST_TEST(nodes.a.logged.empty());
    BOOST_TEST(nodes.b.logged.empty());
    nodes.send(TwoNodes::bytes(3, 4, 16 << 20));
    nodes.run();
    BOOST_TEST(nodes.b.delivered.size() == 2u);
  }
}

// LK-1
BOOST_AUTO_TEST_CASE(messages_of_a_step_keep_their_order_and_only_a_cancellation_passes) {
  TwoNodes nodes;
  auto peer = nodes.a.peer();
  nodes.send(TwoNodes::bytes(1, 1, 8 << 20));
  caf::anon_send(peer, ListStepWaits{{1, 1}});
  caf::anon_send(peer, ListStepWaits{{1, 2}});
  caf::anon_send(peer, CancelStep{{1, 1}, {}});
  nodes.run([&] { return !nodes.b.cancelled.empty() && !nodes.b.explained.empty(); });
  BOOST_TEST(nodes.b.delivered.empty());
  BOOST_TEST(nodes.b.explained == (std::vector<uint64_t>{2}));
  nodes.run([&] { return nodes.b.explained.size() == 2; });
  BOOST_TEST(nodes.b.delivered.size() == 1u);
}

BOOST_AUTO_TEST_CASE(who_asks_hears_of_the_loss_of_the_link_at_once) {
  TwoNodes nodes;
  Asker asker(nodes.a, nodes.a.peer());
  nodes.a.scheduler().run();
  nodes.cut();
  nodes.run();
  BOOST_TEST(asker.answers == 0);
  BOOST_TEST(asker.errors == 1);
  BOOST_TEST(asker.downs == 1);
  Asker later(nodes.a, nodes.a.peer());
  nodes.run();
  BOOST_TEST(later.errors == 1);
}

BOOST_AUTO_TEST_CASE(the_end_of_an_actor_is_told_to_nodes_that_have_a_handle_of_it) {
  TwoNodes nodes;
  Asker asker(nodes.a, nodes.a.peer());
  nodes.run();
  caf::anon_send_exit(nodes.b.root, caf::exit_reason::kill);
  nodes.run();
  BOOST_TEST(asker.downs == 1);
  Asker later(nodes.a, nodes.a.peer());
  nodes.run();
  BOOST_TEST(later.errors == 1);
  BOOST_TEST(nodes.a.links.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_burst_beyond_all_bounds_is_held_back_and_arrives) {
  TwoNodes nodes;
  auto message = TwoNodes::bytes(1, 1, (1 << 20) - 1000);
  for (int i = 0; i < 300; ++i) nodes.send(message);
  nodes.run();
  BOOST_TEST(nodes.b.delivered.size() == 300u);
}

BOOST_AUTO_TEST_CASE(a_peer_that_reads_nothing_is_lost_when_too_much_waits_for_it) {
  TwoNodes nodes;
  auto message = TwoNodes::bytes(1, 1, 60'000);
  for (uint64_t bytes = 0; bytes < link_limits::unwritten_bytes_max + (1 << 20); bytes += 60'000)
    nodes.send(message);
  nodes.run();
  BOOST_TEST(nodes.a.links.size() == 0u);
  BOOST_TEST(nodes.b.links.size() == 0u);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_session_waits_for_its_large_messages) {
  TwoNodes nodes;
  nodes.send(TwoNodes::bytes(7, 1, 8 << 20));
  caf::anon_send(nodes.a.peer(), ListStepWaits{{1, 0}});
  nodes.run([&] { return !nodes.b.explained.empty(); });
  BOOST_TEST(nodes.b.delivered.size() == 1u);
}

BOOST_AUTO_TEST_CASE(messages_of_the_library_itself_are_refused) {
  TwoNodes nodes;
  caf::anon_send(nodes.a.peer(), std::string("word"));
  nodes.run();
  BOOST_TEST(nodes.b.links.size() == 0u);
  BOOST_TEST(nodes.b.logged.size() == 1u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_frames_end_the_link_and_nothing_else) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    TwoNodes nodes(seed);
    auto& c = nodes.add();
    c.connect(1);
    nodes.run();
    nodes.send_garbage(0);
    nodes.run();
    BOOST_TEST(nodes.b.links.size() == 1u);
    Asker asker(c, c.peer());
    nodes.run();
    BOOST_TEST(asker.answers == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_message_that_cannot_be_read_ends_the_link_with_its_reason) {
  TwoNodes nodes;
  auto frame = encode(MessageFrame{.target = nodes.b.root.id(), .content_bytes = 8});
  nodes.inject(0, frame.data, frame.size);
  nodes.inject(0, "nonsense", 8);
  Asker asker(nodes.a, nodes.a.peer());
  nodes.run();
  BOOST_TEST(nodes.b.links.size() == 0u);
  BOOST_REQUIRE(nodes.b.logged.size() == 1u);
  BOOST_TEST(nodes.b.logged[0].find("a message") != std::string::npos);
  BOOST_TEST(asker.errors == 1);
  BOOST_TEST(asker.reason == "the peer closed the connection");
}

BOOST_AUTO_TEST_CASE(what_arrives_after_the_end_of_a_link_is_refused) {
  struct Stream final : LinkStream {
    void wake() override {}
    void close() override {}
  } stream;
  LinkConfig config;
  caf::actor_system system(config);
  auto link = std::make_shared<Link>(
      LinkSettings{.system = system, .allocator = heap_allocator()}, stream,
      [](Link&, const Frame&) { return Status(); });
  auto receive = [&](const void* data, size_t size) {
    BOOST_REQUIRE(link->space().size() >= size);
    std::memcpy(link->space().data(), data, size);
    return link->received(size);
  };
  BOOST_TEST(link->open(ProcessIdentity(process_identity_bytes, 'x'), 1, 1).ok());
  auto header = encode(MessageFrame{.target = 1, .content_bytes = 16, .tensor_bytes = {}});
  char half[8] = {};
  BOOST_TEST(receive(header.data, header.size).ok());
  BOOST_TEST(receive(half, sizeof half).ok());
  link->end(unavailable("the peer has lost the link"));
  BOOST_TEST((receive(half, sizeof half).code() == Code::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()
