#include "troupe/actors/sim/check.hpp"

#include <algorithm>
#include <exception>

namespace troupe::sim {
namespace {

using namespace std::chrono_literals;

Outcome run_once(const Scenario& scenario, Seed seed, Cluster& cluster, std::vector<Fault> faults) {
  cluster.script(faults);
  try {
    scenario.drive(cluster, seed);
  } catch (const std::exception& error) {
    cluster.violate("an exception", error.what());
  } catch (...) {
    cluster.violate("an exception", "of an unknown type");
  }
  return {
      .faults = std::move(faults),
      .violation = cluster.violation(),
      .trace_hash = cluster.trace_hash(),
      .messages = cluster.messages_delivered(),
      .diagram = cluster.violation() ? cluster.diagram() : ""};
}

/// Reduces a script of faults while the run still violates the same invariant.
class Shrinker {
 public:
  Shrinker(const Scenario& scenario, Seed seed, Outcome outcome)
      : scenario_(scenario), seed_(seed), outcome_(std::move(outcome)) {}

  Counterexample shrink() {
    for (auto length = outcome_.faults.size(); length > 0;
         length = std::min(length / 2, outcome_.faults.size()))
      while (remove_some(length)) {
      }
    for (size_t i = 0; i < outcome_.faults.size(); ++i) simplify(i);
    return {seed_, *outcome_.violation, outcome_.faults, outcome_.diagram};
  }

 private:
  static constexpr int tries_max = 300;

  /// Removes `length` consecutive faults; false if the violation needs each of them.
  bool remove_some(size_t length) {
    for (size_t first = 0; first + length <= outcome_.faults.size(); ++first) {
      auto fewer = outcome_.faults;
      auto from = fewer.begin() + static_cast<int64_t>(first);
      fewer.erase(from, from + static_cast<int64_t>(length));
      if (keep(fewer)) return true;
    }
    return false;
  }

  /// Tries fewer tasks and rounder times for one fault.
  void simplify(size_t index) {
    auto change = [&](auto edit) {
      auto simpler = outcome_.faults;
      edit(simpler[index]);
      if (simpler != outcome_.faults) keep(simpler);
    };
    change([](Fault& fault) { fault.tasks.names.resize(1); });
    change([](Fault& fault) {
      if (!fault.others.names.empty()) fault.others.names.resize(1);
    });
    for (auto unit : {Time(100us), Time(1ms), Time(10ms), Time(100ms)})
      change([unit](Fault& fault) {
        if (fault.time > unit) fault.time -= fault.time % unit;
      });
  }

  /// Replaces the script if the run still violates the same invariant.
  bool keep(const std::vector<Fault>& faults) {
    if (++tries_ > tries_max) return false;
    auto outcome = run_once(scenario_, seed_, faults);
    if (!outcome.violation || outcome.violation->name != outcome_.violation->name) return false;
    outcome_ = std::move(outcome);
    return true;
  }

  const Scenario& scenario_;
  Seed seed_;
  Outcome outcome_;  // of the smallest script so far
  int tries_ = 0;
};

}  // namespace

Outcome run_once(const Scenario& scenario, Seed seed) {
  auto cluster = scenario.make(seed);
  auto faults = scenario.faults(cluster->spec(), seed);
  return run_once(scenario, seed, *cluster, std::move(faults));
}

Outcome run_once(const Scenario& scenario, Seed seed, const std::vector<Fault>& faults) {
  return run_once(scenario, seed, *scenario.make(seed), faults);
}

std::string Counterexample::to_string() const {
  auto text = "seed " + std::to_string(seed.value) + ": " + violation.name + " is violated after " +
              std::to_string(violation.time.count() / 1000) + " us: " + violation.text + "\n\n" +
              diagram + "\n";
  if (faults.empty()) return text + "No faults are needed.\n";
  text += "These faults are needed:\n";
  for (const auto& fault : faults) text += "  " + fault.to_cpp() + "\n";
  return text;
}

std::optional<Counterexample> check(const Scenario& scenario, Seed seed) {
  auto outcome = run_once(scenario, seed);
  if (!outcome.violation) return std::nullopt;
  return Shrinker(scenario, seed, std::move(outcome)).shrink();
}

}  // namespace troupe::sim
