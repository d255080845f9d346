#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "troupe/actors/world/message_facts.hpp"

namespace troupe {

/// Numbers the nodes of a simulation from 0. A task that restarts is a new node.
using SimulatedNode = int;

/// A message between two simulated nodes that was delivered or lost.
struct Delivery {
  using Time = std::chrono::nanoseconds;  // since the start

  Time sent;
  Time arrived;  // or when it was lost
  SimulatedNode from;
  SimulatedNode to;
  std::string what;  // "StartStep", "StepDone Unavailable", "Deliver 2 edges", "reply Status"
  uint64_t session;  // 0 where there is none
  uint64_t step;
  bool lost;
};

/// What a simulated network delivered: a hash of everything, and the latest messages in full.
class DeliveryLog {
 public:
  struct Entry {
    Delivery::Time sent;
    Delivery::Time arrived;
    SimulatedNode from;
    SimulatedNode to;
    bool lost;
    MessageFacts facts;
  };

  void add(const Entry& entry);

  /// Hash of all delivered messages with their times and nodes: equal for equal histories.
  uint64_t hash() const { return hash_; }
  uint64_t delivered() const { return delivered_; }
  /// The latest few hundred deliveries and losses except heartbeats, oldest first.
  std::deque<Delivery> recent(const caf::actor_system& system) const;

 private:
  std::vector<Entry> entries_;  // a ring
  uint64_t added_ = 0;
  uint64_t delivered_ = 0;
  uint64_t hash_ = 14695981039346656037u;
};

}  // namespace troupe
