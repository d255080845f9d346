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

  /// Has an actor of a node send a request with a string; records answers and errors as text.
  void ask(Node node, const caf::actor& whom, std::vector<std::string>& answers) {
    spawn(node, [whom, &answers](caf::event_based_actor* self) {
      self->request(whom, 10ms, std::string("word"))
          .then(
              [&answers](int length) { answers.push_back(std::to_string(length)); },
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
  BOOST_TEST(answers == texts({"4"}));
}

BOOST_FIXTURE_TEST_CASE(an_actor_that_sends_a_request_is_seen_as_a_remote_one, ThreeNodes) {
  caf::actor_addr asker;
  auto answering = spawn(b, [&asker](caf::event_based_actor* self) -> caf::behavior {
    return {[&asker, self](const std::string&) {
      asker = self->current_sender()->address();
      return 0;
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

BOOST_FIXTURE_TEST_CASE(messages_of_one_channel_arrive_in_the_order_sent, RandomNetwork) {
  std::vector<int> sent;
  for (int i = 0; i < 100; ++i) {
    sent.push_back(i);
    simulation.at(start + i * 1us, [this, i] { caf::anon_send(from_a, i); });
  }
  run();
  BOOST_TEST(numbers(received) == sent);
}

BOOST_FIXTURE_TEST_CASE(a_fast_message_does_not_overtake_a_slow_one, ThreeNodes) {
  simulation.set_network(always(1ms));
  caf::anon_send(from_a, 1);
  simulation.set_network(always(10us));
  caf::anon_send(from_a, 2);
  run();
  BOOST_TEST((received == Received{{1, start + 1ms}, {2, start + 1ms}}));
}

BOOST_FIXTURE_TEST_CASE(
    the_last_messages_of_an_actor_arrive_before_its_down_message, RandomNetwork) {
  for (int round = 0; round < 20; ++round) {
    std::vector<int> seen;
    auto dying = spawn(b, [](caf::event_based_actor* self) -> caf::behavior {
      return {[self](const std::string&) {
        self->quit();
        return 1;
      }};
    });
    auto d = add(dying);
    auto link = connect(a, d);
    spawn(a, [link, &seen](caf::event_based_actor* self) -> caf::behavior {
      self->monitor(link);
      self->set_down_handler([&seen](const caf::down_msg&) { seen.push_back(2); });
      self->request(link, caf::infinite, std::string("last word")).then([&seen](int number) {
        seen.push_back(number);
      });
      return {[](caf::unit_t) {}};
    });
    run();
    BOOST_TEST(seen == (std::vector{1, 2}));
  }
}

BOOST_FIXTURE_TEST_CASE(a_new_latency_holds_for_messages_sent_from_then_on, ThreeNodes) {
  caf::anon_send(from_a, 1);
  simulation.set_network(always(1ms));
  caf::anon_send(from_a, 2);
  run();
  BOOST_TEST((received == Received{{1, start + 10us}, {2, start + 1ms}}));
}

BOOST_FIXTURE_TEST_CASE(a_channel_of_low_bandwidth_carries_one_message_after_another, ThreeNodes) {
  auto options = always(10us);
  options.bytes_per_second = 64'000'000;  // a number is 64 bytes: 1 us
  simulation.set_network(options);
  for (int i = 0; i < 3; ++i) caf::anon_send(from_a, i);
  caf::anon_send(from_c, 3);  // another channel
  run();
  BOOST_TEST(
      (received ==
       Received{{0, start + 11us}, {3, start + 11us}, {1, start + 12us}, {2, start + 13us}}));
}

BOOST_FIXTURE_TEST_CASE(tensors_take_their_bytes_of_the_bandwidth, ThreeNodes) {
  auto options = always(10us);
  options.bytes_per_second = 1'000'000'000;
  simulation.set_network(options);
  caf::anon_send(from_a, Deliver{.edges = {0}, .tensors = floats(1'000'000)});
  caf::anon_send(from_a, 1);
  run();
  BOOST_TEST((received[0].second - start > 4ms));
  BOOST_TEST((received[0].second - start < 4100us));
}

BOOST_FIXTURE_TEST_CASE(some_messages_of_steps_arrive_twice_and_nothing_else_does, ThreeNodes) {
  auto options = always(10us);
  options.duplicates = 0.5;
  simulation.set_network(options);
  std::vector<std::pair<uint64_t, Time>> started;
  auto device = spawn(b, [this, &started](caf::event_based_actor*) -> caf::behavior {
    return {[this, &started](const StartStep& message) {
      started.emplace_back(message.step.number, simulation.now() - start);
    }};
  });
  auto link = connect(a, add(device));
  start = simulation.now();
  for (uint64_t i = 0; i < 100; ++i) {
    caf::anon_send(link, StartStep{.step = {.session = 1, .number = i}});
    caf::anon_send(from_a, static_cast<int>(i));
  }
  run();
  BOOST_TEST(received.size() == 100);
  BOOST_TEST(started.size() > 130);
  BOOST_TEST(started.size() < 170);
  for (size_t i = 0; i < started.size(); ++i)
    BOOST_TEST((started[i].second == (i < 100 ? Time(10us) : Time(20us))));
}

BOOST_FIXTURE_TEST_CASE(a_cut_holds_back_one_direction_until_it_heals, ThreeNodes) {
  simulation.cut(a, b);
  caf::anon_send(from_a, 1);
  caf::anon_send(from_c, 2);
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
  caf::anon_send(from_a, 1);
  caf::anon_send(from_c, 2);
  simulation.after(5us, [this] { simulation.break_link(a, b); });
  simulation.after(7us, [this] { caf::anon_send(from_a, 3); });  // a has not noticed yet
  run();
  BOOST_TEST(numbers(received) == (std::vector{2}));
  BOOST_TEST((ends_at_a == std::vector<Time>{start + 15us}));
  BOOST_TEST(ends_at_c.empty());
  BOOST_TEST(answers == texts({to_string(caf::make_error(caf::sec::request_timeout))}));
}

BOOST_FIXTURE_TEST_CASE(both_ends_of_a_lost_connection_notice, ThreeNodes) {
  std::vector<Time> ends;
  auto watching = spawn(b, [this, &ends](caf::event_based_actor* self) -> caf::behavior {
    self->set_down_handler(
        [this, &ends](const caf::down_msg&) { ends.push_back(simulation.now()); });
    return {[self](const std::string&) {
      self->monitor(caf::actor_cast<caf::actor>(self->current_sender()));
      return 0;
    }};
  });
  auto link = connect(a, add(watching));
  auto asker = spawn(a, [link](caf::event_based_actor* self) -> caf::behavior {
    self->request(link, caf::infinite, std::string()).then([](int) {});
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
  simulation.set_network(always(1s));
  simulation.break_link(a, b);
  simulation.set_network(always(10us));
  auto again = connect(a, b);
  BOOST_TEST(ends.size() == 1);  // it noticed the loss first
  BOOST_TEST(
      (caf::actor_cast<caf::abstract_actor*>(again) !=
       caf::actor_cast<caf::abstract_actor*>(from_a)));
  caf::anon_send(from_a, 1);
  caf::anon_send(again, 2);
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
  caf::anon_send(from_a, 1);
  simulation.crash(b);
  caf::anon_send(from_a, 2);
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
  simulation.break_link(a, b);
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
