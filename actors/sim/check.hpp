#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::sim {

/// A test that runs with any seed: makes a cluster, and drives it under a script of faults. All
/// must follow from the seed and the faults, so that a run can be repeated.
struct Scenario {
  std::function<std::unique_ptr<Cluster>(Seed)> make;
  /// The script of faults.
  std::function<std::vector<Fault>(const ClusterSpec&, Seed)> faults;
  /// Runs the test. An exception that it throws is a violation.
  std::function<void(Cluster&, Seed)> drive;
};

/// The result of one run of a scenario.
struct Outcome {
  std::vector<Fault> faults;  // the script
  std::optional<Violation> violation;
  uint64_t trace_hash = 0;
  uint64_t messages = 0;
  // Empty without a violation:
  std::string diagram;           // of the last messages
  std::vector<std::string> log;  // the last lines of programs
};

/// Runs a scenario once, with the faults of the seed or with the given ones.
Outcome run_once(const Scenario& scenario, Seed seed);
Outcome run_once(const Scenario& scenario, Seed seed, const std::vector<Fault>& faults);

/// A run that violates an invariant, with the smallest script of faults that was found for it.
struct Counterexample {
  Seed seed;
  Violation violation;
  std::vector<Fault> faults;
  std::string diagram;
  std::vector<std::string> log;

  /// The violation, a diagram of the messages before it, the last lines that programs have logged,
  /// and the script as C++ for a test.
  std::string to_string() const;
};

/// Runs the scenario with the faults of the seed. If an invariant is violated, shrinks the script:
/// runs again with fewer faults, each with what ends it, while the same invariant is violated with
/// the same error in the same place. Empty if none is.
std::optional<Counterexample> check(const Scenario& scenario, Seed seed);

struct Seeds {
  uint64_t first = 1;
  uint64_t count = 1000;
  /// So many are run at once, each on a thread: the functions of the scenario must allow that.
  int threads = 1;
};

/// The same for many seeds: the first of them that violates an invariant.
std::optional<Counterexample> check_seeds(const Scenario& scenario, const Seeds& seeds);

}  // namespace troupe::sim
