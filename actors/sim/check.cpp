#include "troupe/actors/sim/check.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace troupe::sim {
namespace {

using namespace std::chrono_literals;

constexpr size_t shown_log_lines = 20;  // in a counterexample

Outcome run_once(const Scenario& scenario, Seed seed, Cluster& cluster, std::vector<Fault> faults) {
  cluster.script(faults);
  try {
    scenario.drive(cluster, seed);
  } catch (const std::exception& error) {
    cluster.violate("an exception", error.what());
  } catch (...) {
    cluster.violate("an exception", "of an unknown type");
  }
  Outcome outcome{
      .faults = std::move(faults),
      .violation = cluster.violation(),
      .trace_hash = cluster.trace_hash(),
      .messages = cluster.messages_delivered(),
      .diagram = {},
      .log = {}};
  if (!outcome.violation) return outcome;
  outcome.diagram = cluster.diagram();
  outcome.log = cluster.log();
  return outcome;
}

/// Reduces a script of faults while the run still fails in the same way. A fault goes with what
/// ends it: a script that leaves a task dead would fail for that alone.
class Shrinker {
 public:
  Shrinker(const Scenario& scenario, Seed seed, Outcome outcome)
      : scenario_(scenario),
        seed_(seed),
        outcome_(std::move(outcome)),
        faults_(pair_with_ends(outcome_.faults)) {}

  Counterexample shrink() {
    for (auto length = faults_.size(); length > 0; length = std::min(length / 2, faults_.size()))
      while (remove_some(length)) {
      }
    for (size_t i = 0; i < faults_.size(); ++i) simplify(i);
    return {seed_, *outcome_.violation, outcome_.faults, outcome_.diagram, outcome_.log};
  }

 private:
  static constexpr int tries_max = 300;

  /// Removes `length` consecutive faults; false if the violation needs each of them.
  bool remove_some(size_t length) {
    for (size_t first = 0; first + length <= faults_.size(); ++first) {
      auto fewer = faults_;
      auto from = fewer.begin() + static_cast<int64_t>(first);
      fewer.erase(from, from + static_cast<int64_t>(length));
      if (keep(fewer)) return true;
    }
    return false;
  }

  /// Tries fewer tasks and rounder times for one fault.
  void simplify(size_t index) {
    auto change = [&](auto edit) {
      auto simpler = faults_;
      auto& [fault, end] = simpler[index];
      edit(fault);
      if (end) edit(*end);
      auto is_changed = fault != faults_[index].fault || end != faults_[index].end;
      if (is_changed && (!end || end->time > fault.time)) keep(simpler);
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

  /// Replaces the script if the run still fails in the same way.
  bool keep(const std::vector<FaultWithEnd>& faults) {
    if (++tries_ > tries_max) return false;
    auto outcome = run_once(scenario_, seed_, script_of(faults));
    if (!outcome.violation || !outcome.violation->is_like(*outcome_.violation)) return false;
    outcome_ = std::move(outcome);
    faults_ = faults;
    return true;
  }

  const Scenario& scenario_;
  Seed seed_;
  Outcome outcome_;  // of the smallest script so far
  std::vector<FaultWithEnd> faults_;
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
  if (!log.empty()) text += "The last lines of programs:\n";
  auto first = log.size() - std::min(log.size(), shown_log_lines);
  for (auto line = first; line < log.size(); ++line) text += log[line] + "\n";
  if (!log.empty()) text += "\n";
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

std::optional<Counterexample> check_seeds(const Scenario& scenario, const Seeds& seeds) {
  std::atomic<uint64_t> next{0}, failing{seeds.count};  // counted from the first
  auto run_some = [&] {
    for (auto i = next++; i < failing; i = next++) {
      if (!run_once(scenario, Seed{seeds.first + i}).violation) continue;
      for (auto before = failing.load(); i < before && !failing.compare_exchange_weak(before, i);) {
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < seeds.threads; ++i) others.emplace_back(run_some);
    run_some();
  }
  if (failing == seeds.count) return std::nullopt;
  return check(scenario, Seed{seeds.first + failing});
}

}  // namespace troupe::sim
