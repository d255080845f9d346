#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::sim {

/// How a cluster is made and what is done with it, for any seed. Everything must follow from the
/// seed and the faults, so that a run can be repeated.
struct Scenario {
  std::function<std::unique_ptr<Cluster>(Seed)> make;
  /// The script that the cluster gets.
  std::function<std::vector<Fault>(const ClusterSpec&, Seed)> faults;
  /// An exception that leaves it is a violation.
  std::function<void(Cluster&, Seed)> drive;
};

/// What became of a run of a scenario.
struct Outcome {
  std::vector<Fault> faults;  // the script
  std::optional<Violation> violation;
  uint64_t trace_hash = 0;
  uint64_t messages = 0;
  std::string diagram;  // of the end; empty where nothing was violated
};

/// Runs it once, with the faults of the seed or with those.
Outcome play(const Scenario& scenario, Seed seed);
Outcome play(const Scenario& scenario, Seed seed, const std::vector<Fault>& faults);

/// Something that is wrong, with the shortest script that was found to show it.
struct Finding {
  Seed seed;
  Violation violation;
  std::vector<Fault> faults;
  std::string diagram;

  /// What is violated, the messages before it as a diagram, and the script as C++ for a test.
  std::string to_string() const;
};

/// Runs the scenario with the faults of the seed. Where an invariant is violated, it runs again and
/// again with fewer faults as long as that same one is.
std::optional<Finding> check(const Scenario& scenario, Seed seed);

}  // namespace troupe::sim
