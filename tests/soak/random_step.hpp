#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/tests/soak/flow.hpp"

namespace troupe::soak {

using sim::Random;

/// From `least` to `most`, each power of two as likely as any other.
uint64_t log_uniform(Random& random, uint64_t least, uint64_t most);

/// One to four flows of random sizes, and what its result must be.
class RandomStep {
 public:
  /// It takes at most `memory_max` bytes, and each tensor at most `bytes_max`.
  RandomStep(const FlowGraph& graph, uint64_t bytes_max, uint64_t memory_max, Random& random);

  std::vector<Feed> feeds() const;
  Refs fetches() const;
  Refs targets() const;

  /// An upper bound of what it takes on all nodes together.
  uint64_t memory() const;
  /// How many bytes pass from one node to another.
  uint64_t bytes_sent() const;
  /// What is wrong with its result; empty: nothing.
  std::string fault_of(const Tensors& values) const;
  /// The flows and their sizes, for messages.
  std::string to_string() const;

 private:
  struct Chosen {
    const Flow* flow;
    int64_t elements;
    int32_t element;

    uint64_t bytes() const { return static_cast<uint64_t>(elements * flow->element_bytes); }
    std::string to_string() const;
    std::string fault_of(int32_t least, int32_t greatest, int32_t count) const;
  };

  std::vector<Chosen> chosen_;
};

}  // namespace troupe::soak
