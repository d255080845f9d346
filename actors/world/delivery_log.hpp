#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "troupe/actors/world/message_facts.hpp"

namespace troupe {

/// Names a node of a simulation, one life of it: they count from 0.
using SimulatedNode = int;

/// A message between two simulated nodes that arrived, or that never will.
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

/// What a simulated network delivered: all of it as one number, the last of it in full.
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

  /// Of all messages that were delivered, when, and between whom: equal for equal histories.
  uint64_t hash() const { return hash_; }
  uint64_t delivered() const { return delivered_; }
  /// The last few hundred deliveries and losses, oldest first.
  std::deque<Delivery> recent(const caf::actor_system& system) const;

 private:
  std::vector<Entry> entries_;  // a ring
  uint64_t added_ = 0;
  uint64_t delivered_ = 0;
  uint64_t hash_ = 14695981039346656037u;
};

}  // namespace troupe
