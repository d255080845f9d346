#include "troupe/actors/sim/world/simulation.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <set>

#include "troupe/tests/actors/sim/world/simulation_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct TwoNodes : SimulatedNodes {
  using SimulatedNodes::SimulatedNodes;
  Received received;
  Node a = simulation.add_node();
  Node b = add_recorder(received);
  caf::actor link = connect(a, b);
  Time start = (run(), simulation.now());  // the timers of the connection have expired

  /// When each number was received, since the start.
  std::vector<Time> delays() const {
    std::vector<Time> result;
    for (const auto& [number, time] : received) result.push_back(time - start);
    return result;
  }
};

/// The order in which ten actors of one node handle three messages each.
std::vector<int> order_of_ten(uint64_t seed) {
  SimulatedNodes nodes(seed);
  auto node = nodes.simulation.add_node();
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) {
    auto actor = nodes.spawn(node, [&order, i](caf::event_based_actor*) -> caf::behavior {
      return {[&order, i](int) { order.push_back(i); }};
    });
    for (int message = 0; message < 3; ++message) caf::anon_send(actor, message);
  }
  nodes.run();
  return order;
}

/// Nodes that exchange messages under random faults of every kind.
struct BrokenNetwork : SimulatedNodes {
  static constexpr Node count = 5;

  explicit BrokenNetwork(uint64_t seed) : SimulatedNodes(seed, NetworkOptions()), random(seed) {
    for (Node node = 0; node < count; ++node) {
      simulation.add_node();
      auto actor = spawn(node, [this, node](caf::event_based_actor* self) -> caf::behavior {
        return {[this, node, self](const ListStepWaits& message) {
          auto rounds = value_of(message);
          for (const auto& peer : peers[node])
            if (rounds > 0) self->send(peer, number(rounds - 1));
        }};
      });
      actors.push_back(caf::actor_cast<caf::strong_actor_ptr>(actor));
      simulation.serve(node, address_of(node), actors.back());
    }
    for (int i = 0; i < 300; ++i) simulation.at(i * 100us, [this] { do_something(); });
    run_for(2s);
  }

  void do_something() {
    auto a = static_cast<Node>(random() % count), b = static_cast<Node>(random() % count);
    switch (random() % 16) {
      case 0: return simulation.cut(a, b);
      case 1:
      case 2: return simulation.heal(a, b);
      case 3: return simulation.break_link(a, b);
      case 4: return simulation.freeze(a);
      case 5:
      case 6: return simulation.thaw(a);
      case 7: return simulation.slow(a, 1 + static_cast<double>(random() % 20));
      case 8: return simulation.skew(a, 0.5 + static_cast<double>(random() % 4) / 2);
      case 9: return random() % 30 == 0 ? simulation.crash(a) : void();
      case 10:
        for (const auto& actor : actors) send(caf::actor_cast<caf::actor>(actor), 1);
        return;
      case 11: return simulation.world_of(a)->after(1ms, actors[a], caf::make_message(number(3)));
      default:
        simulation.world_of(a)->connect(
            address_of(b), 5ms, [this, a](const Result<caf::strong_actor_ptr>& found) {
              if (found) peers[a].insert(caf::actor_cast<caf::actor>(*found));
            });
    }
  }

  std::mt19937_64 random;
  std::vector<caf::strong_actor_ptr> actors;
  std::vector<std::set<caf::actor>> peers{count};
};

std::vector<Time> times(std::initializer_list<Time> list) { return list; }

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation)

BOOST_AUTO_TEST_CASE(actors_run_in_an_order_drawn_from_the_seed) {
  auto order = order_of_ten(1);
  BOOST_TEST(order.size() == 30);
  BOOST_TEST(order == order_of_ten(1));
  BOOST_TEST(order != order_of_ten(2));
}

BOOST_AUTO_TEST_CASE(one_seed_gives_one_trace_and_another_seed_another) {
  auto trace = [](uint64_t seed) {
    SimulatedNodes nodes(seed, NetworkOptions());
    Received received;
    auto a = nodes.simulation.add_node(), b = nodes.add_recorder(received);
    auto link = nodes.connect(a, b);
    for (int i = 0; i < 10; ++i) send(link, i);
    nodes.run();
    return std::pair(nodes.simulation.trace_hash(), nodes.simulation.messages_delivered());
  };
  BOOST_TEST((trace(1) == trace(1)));
  BOOST_TEST((trace(1).first != trace(2).first));
  BOOST_TEST(trace(1).second == 10);
}

BOOST_DATA_TEST_CASE(
    one_seed_gives_one_history_whatever_breaks,
    boost::unit_test::data::xrange(uint64_t{1}, uint64_t{21}), seed) {
  BrokenNetwork first(seed), second(seed);
  BOOST_TEST(first.simulation.trace_hash() == second.simulation.trace_hash());
  BOOST_TEST(first.simulation.messages_delivered() == second.simulation.messages_delivered());
  BOOST_TEST(first.simulation.messages_delivered() > 20);
}

BOOST_FIXTURE_TEST_CASE(a_frozen_node_handles_all_messages_in_order_when_it_thaws, TwoNodes) {
  simulation.freeze(b);
  for (int i = 0; i < 3; ++i) send(link, i);
  run_for(1ms);
  BOOST_TEST(received.empty());
  simulation.thaw(b);
  run();
  BOOST_TEST(numbers(received) == (std::vector{0, 1, 2}));
  BOOST_TEST((delays() == times({1ms, 1ms, 1ms})));
}

BOOST_FIXTURE_TEST_CASE(actors_spawned_by_actors_of_a_node_freeze_with_it, TwoNodes) {
  caf::actor child;
  auto parent = spawn(b, [this, &child](caf::event_based_actor* self) -> caf::behavior {
    return {[this, self, &child](int) {
      child = self->spawn([this](caf::event_based_actor*) -> caf::behavior {
        return {[this](int number) { received.emplace_back(number, simulation.now()); }};
      });
    }};
  });
  caf::anon_send(parent, 0);
  run();
  simulation.freeze(b);
  caf::anon_send(child, 1);
  run();
  BOOST_TEST(received.empty());
  simulation.thaw(b);
  run();
  BOOST_TEST(numbers(received) == (std::vector{1}));
}

BOOST_FIXTURE_TEST_CASE(timers_and_devices_of_a_frozen_node_wait_until_it_thaws, TwoNodes) {
  std::vector<Time> done;
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(recorder(b, received));
  simulation.world_of(b)->after(10us, actor, caf::make_message(7));
  simulation.device_work(b, 20us, [&] { done.push_back(simulation.now() - start); });
  simulation.freeze(b);
  run_for(100us);
  BOOST_TEST(received.empty());
  BOOST_TEST(done.empty());
  simulation.thaw(b);
  run();
  BOOST_TEST((delays() == times({100us})));
  BOOST_TEST((done == times({100us})));
}

BOOST_FIXTURE_TEST_CASE(a_frozen_node_that_is_connecting_gets_the_answer_when_it_thaws, TwoNodes) {
  bool connected = false;
  Received others;
  simulation.world_of(a)->connect(
      address_of(add_recorder(others)), 1000ms,
      [&](const Result<caf::strong_actor_ptr>&) { connected = true; });
  simulation.freeze(a);
  run_for(100ms);
  BOOST_TEST(!connected);
  simulation.thaw(a);
  run_for(1ms);
  BOOST_TEST(connected);
}

BOOST_FIXTURE_TEST_CASE(a_slow_node_takes_its_time_for_each_message_and_its_device, TwoNodes) {
  simulation.slow(b, 20);
  for (int i = 0; i < 3; ++i) send(link, i);
  std::vector<Time> done;
  simulation.device_work(b, 10us, [&] { done.push_back(simulation.now() - start); });
  run();
  BOOST_TEST(numbers(received) == (std::vector{0, 1, 2}));
  BOOST_TEST((delays() == times({30us, 50us, 70us})));
  BOOST_TEST((done == times({200us})));
}

BOOST_FIXTURE_TEST_CASE(a_slow_node_that_is_mended_catches_up_at_once, TwoNodes) {
  simulation.slow(b, 1000);
  for (int i = 0; i < 3; ++i) send(link, i);
  run_for(100us);
  simulation.slow(b, 1);
  run();
  BOOST_TEST((delays() == times({100us, 100us, 100us})));
}

BOOST_FIXTURE_TEST_CASE(a_slow_node_can_be_frozen_in_the_midst_of_its_work, TwoNodes) {
  simulation.slow(b, 20);
  for (int i = 0; i < 3; ++i) send(link, i);
  run_for(35us);
  simulation.freeze(b);
  run_for(100us);
  simulation.thaw(b);
  run();
  BOOST_TEST((delays() == times({30us, 155us, 175us})));
}

BOOST_FIXTURE_TEST_CASE(a_skewed_clock_drifts_without_a_jump, TwoNodes) {
  auto world = simulation.world_of(b);
  auto before = world->now();
  simulation.skew(b, 1.5);
  BOOST_TEST((world->now() == before));
  run_for(1ms);
  BOOST_TEST((world->now() == before + 1500us));
  simulation.skew(b, 0.5);
  BOOST_TEST((world->now() == before + 1500us));
  run_for(1ms);
  BOOST_TEST((world->now() == before + 2ms));
  BOOST_TEST((simulation.world_of(a)->now() == before + 2ms));
}

BOOST_FIXTURE_TEST_CASE(a_timer_fires_when_the_skewed_clock_shows_its_time, TwoNodes) {
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(recorder(b, received));
  simulation.skew(b, 2);
  simulation.world_of(b)->after(1ms, actor, caf::make_message(1));
  run();
  simulation.world_of(b)->after(1ms, actor, caf::make_message(2));
  simulation.skew(b, 0.5);
  run();
  BOOST_TEST((delays() == times({500us, 2500us})));
}

BOOST_FIXTURE_TEST_CASE(timers_that_are_delayed_fire_late_and_out_of_order, TwoNodes) {
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(recorder(b, received));
  simulation.delay_timers(500us);
  for (int i = 0; i < 20; ++i) simulation.world_of(b)->after(1ms, actor, caf::make_message(i));
  run();
  BOOST_TEST(received.size() == 20u);
  BOOST_TEST(std::ranges::all_of(delays(), [](auto d) { return d >= 1ms && d < 1500us; }));
  BOOST_TEST(!std::ranges::is_sorted(numbers(received)));
}

BOOST_FIXTURE_TEST_CASE(nothing_of_a_crashed_node_happens_any_more, TwoNodes) {
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(recorder(b, received));
  bool worked = false, connected = false;
  simulation.world_of(b)->after(10us, actor, caf::make_message(1));
  simulation.device_work(b, 10us, [&] { worked = true; });
  simulation.world_of(b)->connect(
      address_of(b), 1000ms, [&](const Result<caf::strong_actor_ptr>&) { connected = true; });
  send(link, 2);
  simulation.crash(b);
  run();
  BOOST_TEST(received.empty());
  BOOST_TEST(!worked);
  BOOST_TEST(!connected);
}

BOOST_FIXTURE_TEST_CASE(the_actors_of_a_crashed_node_can_end_even_if_it_was_frozen, TwoNodes) {
  std::vector<Time> ends;
  auto actor = recorder(b, received);
  actor->attach_functor([&] { ends.push_back(simulation.now()); });
  simulation.freeze(b);
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  run();
  BOOST_TEST(ends.empty());
  simulation.crash(b);
  run();
  BOOST_TEST(ends.size() == 1);
}

BOOST_AUTO_TEST_CASE(actors_with_messages_end_with_the_simulation) {
  SimulatedSystemConfig config;
  caf::actor_system system(config);
  caf::actor actor;
  bool ended = false;
  {
    Simulation simulation(system, /*seed=*/1, NetworkOptions());
    auto node = simulation.add_node();
    simulation.run_as(
        node, [&] { actor = system.spawn([]() -> caf::behavior { return {[](int) {}}; }); });
    actor->attach_functor([&ended] { ended = true; });
    simulation.freeze(node);
    caf::anon_send(actor, 1);
    simulation.run([] { return false; }, Time::max());
    BOOST_TEST(!ended);
  }
  BOOST_TEST(ended);
}

BOOST_FIXTURE_TEST_CASE(an_address_where_no_node_serves_refuses_connections, TwoNodes) {
  auto refused = try_connect(a, 17, 250ms).status();
  BOOST_TEST((refused.code() == Code::unavailable));
  BOOST_TEST(
      refused.message() ==
      "no node answers at node:18: it refused the connection, as no node serves there (tried for "
      "0.2 s)");
  simulation.crash(b);
  run_for(1ms);
  BOOST_TEST(try_connect(a, b).status().message().find("refused") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_node_that_is_frozen_or_behind_a_cut_does_not_answer, TwoNodes) {
  auto c = simulation.add_node();
  simulation.freeze(b);
  BOOST_TEST(
      try_connect(c, b, 250ms).status().message() == "no node answers at node:2 (tried for 0.2 s)");
  simulation.thaw(b);
  simulation.cut(b, c);
  BOOST_TEST(
      try_connect(c, b, 10s).status().message() ==
      "no node answers at node:2: it does not answer (tried for 10.0 s)");
  simulation.heal(b, c);
  BOOST_TEST(try_connect(c, b).ok());
}

BOOST_FIXTURE_TEST_CASE(a_probe_tells_live_nodes_from_dead_and_unresponsive_ones, TwoNodes) {
  auto probe = [&] {
    Result<uint64_t> answer = cancelled("no answer yet");
    simulation.world_of(a)->probe(address_of(b), 250ms, [&](auto found) { answer = found; });
    run_for(1s);
    return answer;
  };
  BOOST_TEST(probe().ok());
  simulation.freeze(b);
  BOOST_TEST((probe().status().code() == Code::unavailable));
  simulation.thaw(b);
  simulation.cut(b, a);
  BOOST_TEST((probe().status().code() == Code::unavailable));
  simulation.heal(b, a);
  BOOST_TEST(probe().ok());
  simulation.crash(b);
  BOOST_TEST((probe().status().code() == Code::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_connection_is_tried_again_until_a_node_serves, TwoNodes) {
  auto late = simulation.add_node();
  auto task = caf::actor_cast<caf::strong_actor_ptr>(recorder(late, received));
  simulation.after(300ms, [&] { simulation.serve(late, address_of(late), task); });
  BOOST_TEST(try_connect(a, late).ok());
  BOOST_TEST((simulation.now() - start >= 300ms));
}

BOOST_FIXTURE_TEST_CASE(checks_run_after_each_event_when_the_actors_are_idle, TwoNodes) {
  auto actor = recorder(b, received);
  std::vector<size_t> seen;
  simulation.on_event([&] { seen.push_back(received.size()); });
  simulation.after(10us, [&] {
    for (int i = 0; i < 3; ++i) caf::anon_send(actor, i);
  });
  simulation.after(20us, [] {});
  run();
  BOOST_TEST(seen == (std::vector<size_t>{3, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
