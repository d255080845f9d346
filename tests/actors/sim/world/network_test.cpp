#include "troupe/actors/sim/world/network.hpp"

#include "troupe/tests/actors/sim/world/simulation_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Node b serves an actor that records numbers; a and c have proxies of it.
struct ThreeNodes : SimulatedNodes {
  using SimulatedNodes::SimulatedNodes;
  Received received;
  Node a = simulation.add_node();
  Node b = add_recorder(received);
  Node c = simulation.add_node();
  caf::actor from_a = connect(a, b);
  caf::actor from_c = connect(c, b);
  Time start = simulation.now();

  /// Has an actor of a node send a request; records answers and errors as text.
  void ask(Node node, const caf::actor& whom, std::vector<std::string>& answers) {
    spawn(node, [whom, &answers](caf::event_based_actor* self) {
      self->request(whom, 10ms, word("word"))
          .then(
              [&answers](const Status& answer) { answers.push_back(answer.message()); },
              [&answers](const caf::error& error) { answers.push_back(to_string(error)); });
    });
  }
};

struct RandomNetwork : ThreeNodes {
  RandomNetwork() : ThreeNodes(/*seed=*/5, NetworkOptions()) {}
};

std::vector<std::string> texts(std::initializer_list<std::string> list) { return list; }

Tensors floats(int64_t count) {
  auto tensor = Tensor::allocate(DType::float32, Shape({count}));
  BOOST_REQUIRE(tensor.ok());
  return {*tensor};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network)

BOOST_FIXTURE_TEST_CASE(a_proxy_has_the_id_of_the_node_that_it_leads_to, ThreeNodes) {
  BOOST_TEST((from_a.node() == from_c.node()));
  BOOST_TEST((from_a.node() != system.node()));
  BOOST_TEST((from_a.address() == from_c.address()));
  Received others;
  auto d = add_recorder(others);
  BOOST_TEST((connect(a, d).node() != from_a.node()));
  BOOST_TEST((connect(a, b) == from_a));
}

BOOST_FIXTURE_TEST_CASE(a_request_through_a_proxy_is_answered, ThreeNodes) {
  std::vector<std::string> answers;
  ask(a, from_a, answers);
  run_for(19us);
  BOOST_TEST(answers.empty());
  run_for(1us);
  BOOST_TEST(answers == texts({"word"}));
}

BOOST_FIXTURE_TEST_CASE(an_actor_that_sends_a_request_is_seen_as_a_remote_one, ThreeNodes) {
  caf::actor_addr asker;
  auto answering = spawn(b, [&asker](caf::event_based_actor* self) -> caf::behavior {
    return {[&asker, self](const Ping&) {
      asker = self->current_sender()->address();
      return Status();
    }};
  });
  auto d = add(answering);
  std::vector<std::string> answers;
  ask(a, connect(a, d), answers);
  run();
  BOOST_REQUIRE(asker);
  BOOST_TEST((asker.node() != system.node()));
  BOOST_TEST((asker.node() != from_a.node()));
}

BOOST_FIXTURE_TEST_CASE(messages_of_one_connection_arrive_in_the_order_sent, RandomNetwork) {
  std::vector<int> sent;
  for (int i = 0; i < 100; ++i) {
    sent.push_back(i);
    simulation.at(start + i * 1us, [this, i] { send(from_a, i); });
  }
  run();
  BOOST_TEST(numbers(received) == sent);
}

BOOST_FIXTURE_TEST_CASE(a_fast_message_does_not_overtake_a_slow_one, ThreeNodes) {
  simulation.set_network(always(1ms));
  send(from_a, 1);
  run_for(1us);
  simulation.set_network(always(10us));
  send(from_a, 2);
  run();
  BOOST_TEST((received == Received{{1, start + 1ms}, {2, start + 1ms}}));
}

BOOST_FIXTURE_TEST_CASE(
    the_last_messages_of_an_actor_arrive_before_its_down_message, RandomNetwork) {
  for (int round = 0; round < 20; ++round) {
    std::vector<int> seen;
    auto dying = spawn(b, [](caf::event_based_actor* self) -> caf::behavior {
      return {[self](const Ping&) {
        self->quit();
        return Status();
      }};
    });
    auto d = add(dying);
    auto link = connect(a, d);
    spawn(a, [link, &seen](caf::event_based_actor* self) -> caf::behavior {
      self->monitor(link);
      self->set_down_handler([&seen](const caf::down_msg&) { seen.push_back(2); });
      self->request(link, caf::infinite, word("last word")).then([&seen](const Status&) {
        seen.push_back(1);
      });
      return {[](caf::unit_t) {}};
    });
    run();
    BOOST_TEST(seen == (std::vector{1, 2}));
  }
}

BOOST_FIXTURE_TEST_CASE(a_new_latency_holds_for_messages_sent_from_then_on, ThreeNodes) {
  send(from_a, 1);
  run_for(1us);
  simulation.set_network(always(1ms));
  send(from_a, 2);
  run();
  BOOST_TEST((received == Received{{1, start + 10us}, {2, start + 1001us}}));
}

BOOST_FIXTURE_TEST_CASE(a_connection_of_low_bandwidth_carries_one_byte_after_another, ThreeNodes) {
  auto options = always(10us);
  options.bytes_per_second = 10'000'000;
  simulation.set_network(options);
  for (int i = 0; i < 3; ++i) {
    send(from_a, i);
    run_for(1us);  // each in a segment of its own
  }
  send(from_c, 3);  // another connection
  run();
  BOOST_TEST(numbers(received) == (std::vector{0, 3, 1, 2}));
  auto time_of_bytes = received[0].second - start - 10us;
  BOOST_TEST((time_of_bytes > 10us));
  BOOST_TEST((received[2].second == received[0].second + time_of_bytes));
  BOOST_TEST((received[3].second == received[2].second + time_of_bytes));
}

BOOST_FIXTURE_TEST_CASE(tensors_take_their_bytes_of_the_bandwidth, ThreeNodes) {
  Time arrived{0};
  auto receiving = spawn(b, [this, &arrived](caf::event_based_actor*) -> caf::behavior {
    return {[this, &arrived](const Deliver&) { arrived = simulation.now(); }};
  });
  auto link = connect(a, add(receiving));
  auto options = always(10us);
  options.bytes_per_second = 1'000'000'000;
  simulation.set_network(options);
  start = simulation.now();
  caf::anon_send(link, Deliver{.edges = {0}, .tensors = floats(1'000'000)});
  run();
  BOOST_TEST((arrived - start > 4ms));
  BOOST_TEST((arrived - start < 4200us));
}

BOOST_FIXTURE_TEST_CASE(a_tensor_in_pieces_arrives_whole, SimulatedNodes) {
  auto options = always(10us);
  options.link_sizes = {.inline_bytes = 500, .piece_bytes = 100, .granted_bytes = 1000};
  simulation.set_network(options);
  std::vector<Tensor> arrived;
  auto receiving = spawn(simulation.add_node(), [&](caf::event_based_actor*) -> caf::behavior {
    return {[&](const Deliver& message) { arrived.push_back(message.tensors.at(0)); }};
  });
  auto link = connect(simulation.add_node(), add(receiving));
  auto large = floats(10'000);
  std::fill_n(large[0].mutable_data<float>(), 10'000, 7.0f);
  caf::anon_send(link, Deliver{.edges = {0}, .tensors = large});
  caf::anon_send(link, Deliver{.edges = {1}, .tensors = floats(3)});
  run();
  BOOST_REQUIRE(arrived.size() == 2);
  BOOST_TEST(arrived[0].shape().elements() == 3);  // it passed the large one
  BOOST_TEST(std::ranges::count(arrived[1].values<float>(), 7.0f) == 10'000);
}

BOOST_FIXTURE_TEST_CASE(a_connection_may_break_within_any_message, RandomNetwork) {
  // What was sent before a message that arrived has arrived, and nothing after one that was lost.
  int broken_within = 0;
  for (int round = 0; round < 50; ++round) {
    received.clear();
    auto link = connect(a, b);
    for (int i = 0; i < 20; ++i) send(link, i);
    run_for(1us);
    simulation.break_link(a, b);
    run();
    for (size_t i = 0; i < received.size(); ++i)
      BOOST_TEST(received[i].first == static_cast<int>(i));
    BOOST_TEST(received.size() < 20);
    broken_within += received.size() > 0;
  }
  BOOST_TEST(broken_within > 10);
}

BOOST_FIXTURE_TEST_CASE(a_cut_holds_back_one_direction_until_it_heals, ThreeNodes) {
  simulation.cut(a, b);
  send(from_a, 1);
  send(from_c, 2);
  run_for(1ms);
  BOOST_TEST((received == Received{{2, start + 10us}}));
  simulation.heal(a, b);
  run();
  BOOST_TEST((received == Received{{2, start + 10us}, {1, start + 1ms}}));
}

BOOST_FIXTURE_TEST_CASE(a_lost_connection_loses_the_messages_in_flight, ThreeNodes) {
  std::vector<Time> ends_at_a, ends_at_c;
  std::vector<std::string> answers;
  watch(a, from_a, ends_at_a);
  watch(c, from_c, ends_at_c);
  ask(a, from_a, answers);
  send(from_c, 2);
  // Some of what is in flight may arrive, but not the last bytes.
  simulation.after(1us, [this] { send(from_a, 1); });
  simulation.after(5us, [this] { simulation.break_link(a, b); });
  simulation.after(7us, [this] { send(from_a, 3); });  // a has not noticed yet
  run();
  BOOST_TEST(numbers(received) == (std::vector{2}));
  BOOST_TEST((ends_at_a == std::vector<Time>{start + 15us}));
  BOOST_TEST(ends_at_c.empty());
  BOOST_TEST(answers.size() == 1);
  BOOST_TEST(answers.at(0).find("broke") != std::string::npos, answers.at(0));
}

BOOST_FIXTURE_TEST_CASE(both_ends_of_a_lost_connection_notice, ThreeNodes) {
  std::vector<Time> ends;
  auto watching = spawn(b, [this, &ends](caf::event_based_actor* self) -> caf::behavior {
    self->set_down_handler(
        [this, &ends](const caf::down_msg&) { ends.push_back(simulation.now()); });
    return {[self](const Ping&) {
      self->monitor(caf::actor_cast<caf::actor>(self->current_sender()));
      return Status();
    }};
  });
  auto link = connect(a, add(watching));
  auto asker = spawn(a, [link](caf::event_based_actor* self) -> caf::behavior {
    self->request(link, caf::infinite, word("")).then([](const Status&) {});
    return {[](caf::unit_t) {}};
  });
  run();
  BOOST_TEST(ends.empty());
  simulation.break_link(a, b + 2);
  run();
  BOOST_TEST(ends.size() == 1);
}

BOOST_FIXTURE_TEST_CASE(nodes_that_lost_their_connection_can_connect_again, ThreeNodes) {
  std::vector<Time> ends;
  watch(a, from_a, ends);
  simulation.break_link(a, b);
  run_for(1ms);
  BOOST_TEST(ends.size() == 1);
  auto again = connect(a, b);
  BOOST_TEST(
      (caf::actor_cast<caf::abstract_actor*>(again) !=
       caf::actor_cast<caf::abstract_actor*>(from_a)));
  send(from_a, 1);
  send(again, 2);
  run();
  BOOST_TEST(numbers(received) == (std::vector{2}));
}

BOOST_FIXTURE_TEST_CASE(a_request_through_a_proxy_that_has_ended_is_an_error_at_once, ThreeNodes) {
  std::vector<std::string> answers;
  simulation.break_link(a, b);
  run();
  auto before = simulation.now();
  ask(a, from_a, answers);
  run();
  BOOST_TEST(answers.size() == 1);
  BOOST_TEST((simulation.now() == before));
}

BOOST_FIXTURE_TEST_CASE(a_crash_ends_the_proxies_of_all_peers, ThreeNodes) {
  std::vector<Time> ends;
  watch(a, from_a, ends);
  watch(c, from_c, ends);
  send(from_a, 1);
  simulation.crash(b);
  send(from_a, 2);
  run();
  BOOST_TEST(received.empty());
  BOOST_TEST((ends == std::vector<Time>{start + 10us, start + 10us}));
}

BOOST_FIXTURE_TEST_CASE(a_crash_behind_a_cut_is_not_noticed_until_it_heals, ThreeNodes) {
  std::vector<Time> ends;
  watch(a, from_a, ends);
  simulation.cut(b, a);
  simulation.crash(b);
  run_for(1s);
  BOOST_TEST(ends.empty());
  simulation.heal(b, a);
  run();
  BOOST_TEST(ends.size() == 1);
}

BOOST_FIXTURE_TEST_CASE(the_latest_messages_are_listed_as_delivered_or_lost, ThreeNodes) {
  StepId step{.session = 7, .number = 9};
  auto delivered = [&](const auto& message) {
    caf::anon_send(from_a, message);
    run();
    return simulation.recent().back();
  };
  auto done = delivered(StepDone{.step = step, .status = unavailable("gone")});
  BOOST_TEST(done.what == "StepDone Unavailable");
  BOOST_TEST(done.session == 7);
  BOOST_TEST(done.step == 9);
  BOOST_TEST(done.from == a);
  BOOST_TEST(done.to == b);
  BOOST_TEST((done.arrived - done.sent == 10us));
  BOOST_TEST(!done.lost);
  BOOST_TEST(delivered(Deliver{.step = step, .edges = {0, 1}}).what == "Deliver 2 edges");
  BOOST_TEST(delivered(Register{}).what == "Register");
  caf::anon_send(from_a, StartStep{.step = step});
  run_for(1us);
  simulation.break_link(a, b);
  run();
  BOOST_TEST(simulation.recent().back().what == "StartStep");
  BOOST_TEST(simulation.recent().back().lost);
}

BOOST_FIXTURE_TEST_CASE(only_the_latest_messages_are_kept, ThreeNodes) {
  for (uint64_t i = 1; i <= 1000; ++i)
    caf::anon_send(from_a, CancelStep{.step = {.session = 1, .number = i}});
  run();
  auto recent = simulation.recent();
  BOOST_TEST(recent.size() == 512);
  BOOST_TEST(recent.front().step == 489);
  BOOST_TEST(recent.back().step == 1000);
}

BOOST_AUTO_TEST_SUITE_END()
