#pragma once

#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <string>
#include <utility>
#include <vector>

#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/sim/world/simulation.hpp"

namespace troupe::testing {

using namespace std::chrono_literals;
using Time = std::chrono::nanoseconds;

/// The numbers that an actor received, with their times.
using Received = std::vector<std::pair<int, Time>>;

inline NetworkOptions always(Time latency) {
  return {.latency = Latency::uniform(latency, latency)};
}

struct SimulatedSystemConfig : caf::actor_system_config {
  SimulatedSystemConfig() {
    add_message_types<caf::id_block::troupe>();
    set("scheduler.policy", caf::atom("testing"));
  }
};

/// A number, in a message that may cross a network.
inline ListStepWaits number(int value) {
  return {.step = {.number = static_cast<uint64_t>(value)}};
}
inline int value_of(const ListStepWaits& message) { return static_cast<int>(message.step.number); }
inline void send(const caf::actor& to, int value) { caf::anon_send(to, number(value)); }

/// A request with a word, which is answered by word_answer() of it.
inline Ping word(const std::string& text) { return {.hello = {.from_job = text}}; }
inline Status word_answer(const Ping& message) { return not_found(message.hello.from_job); }

/// Simulated nodes with tiny actors on them.
struct SimulatedNodes {
  using Node = SimulatedNode;

  explicit SimulatedNodes(uint64_t seed = 1, const NetworkOptions& options = always(10us))
      : simulation(system, seed, options) {}

  static Address address_of(Node node) { return {"node", static_cast<uint16_t>(node + 1)}; }

  template <class Behavior>
  caf::actor spawn(Node node, Behavior behavior) {
    caf::actor spawned;
    simulation.run_as(node, [&] { spawned = system.spawn(std::move(behavior)); });
    spawned_.push_back(spawned);
    return spawned;
  }

  /// An actor that records the numbers it receives, and answers words.
  caf::actor recorder(Node node, Received& received) {
    return spawn(node, [this, &received](caf::event_based_actor* self) -> caf::behavior {
      self->set_default_handler(caf::drop);
      return {
          [this, &received](int number) { received.emplace_back(number, simulation.now()); },
          [this, &received](const ListStepWaits& message) {
            received.emplace_back(value_of(message), simulation.now());
          },
          [](const Ping& message) { return word_answer(message); }};
    });
  }

  /// Adds a node that serves an actor.
  Node add(const caf::actor& actor) {
    auto node = simulation.add_node();
    simulation.serve(node, address_of(node), caf::actor_cast<caf::strong_actor_ptr>(actor));
    return node;
  }
  Node add_recorder(Received& received) {
    auto node = simulation.add_node();
    auto actor = caf::actor_cast<caf::strong_actor_ptr>(recorder(node, received));
    simulation.serve(node, address_of(node), std::move(actor));
    return node;
  }

  /// Connects from a node to the actor that another serves; gives the proxy or the error.
  Result<caf::strong_actor_ptr> try_connect(
      Node from, Node to, std::chrono::milliseconds timeout = 1000ms) {
    Result<caf::strong_actor_ptr> found = unavailable("no answer yet");
    bool done = false;
    simulation.world_of(from)->connect(
        address_of(to), timeout, [&](Result<caf::strong_actor_ptr> answer) {
          found = std::move(answer);
          done = true;
        });
    simulation.run([&] { return done; }, simulation.now() + 20s);
    return found;
  }
  caf::actor connect(Node from, Node to) {
    auto found = try_connect(from, to);
    BOOST_TEST_REQUIRE(found.ok(), found.status().to_string());
    return caf::actor_cast<caf::actor>(*found);
  }

  /// Has an actor of the node monitor another, and record when it gets the down message.
  void watch(Node node, const caf::actor& watched, std::vector<Time>& ends) {
    spawn(node, [this, watched, &ends](caf::event_based_actor* self) -> caf::behavior {
      self->monitor(watched);
      self->set_down_handler(
          [this, &ends](const caf::down_msg&) { ends.push_back(simulation.now()); });
      return {[](caf::unit_t) {}};
    });
  }

  void run() {
    simulation.run([] { return false; }, Time::max());
  }
  void run_for(Time duration) {
    bool over = false;
    simulation.after(duration, [&over] { over = true; });
    simulation.run([&over] { return over; }, Time::max());
  }

  SimulatedSystemConfig config;
  caf::actor_system system{config};
  Simulation simulation;

 private:
  std::vector<caf::actor> spawned_;  // CAF ends an actor without references
};

inline std::vector<int> numbers(const Received& received) {
  std::vector<int> result;
  for (const auto& [number, time] : received) result.push_back(number);
  return result;
}

}  // namespace troupe::testing
