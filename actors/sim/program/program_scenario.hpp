#pragma once

#include <functional>
#include <map>
#include <string>

#include "troupe/actors/sim/check.hpp"
#include "troupe/actors/sim/program/program.hpp"
#include "troupe/actors/sim/program/program_function.hpp"

namespace troupe::sim {

/// A test of whole programs: those of all tasks of a cluster run until they end, under random
/// faults. It fails if one of them returns an error, or does not end.
///
///     auto scenario = sim::program_scenario({
///         .jobs = {{"ps", 1}, {"worker", 2}},
///         .program = [](sim::Program& task) {
///           return train::run(task, make_model, train_step, {.last_step = 100});
///         }});
///     if (auto found = sim::check_seeds(scenario, {.count = 1000})) std::cerr <<
///     found->to_string();
struct ProgramScenario {
  std::map<std::string, int> jobs;  // the number of tasks of each
  ProgramFunction program;          // of each task; it is called on several threads
  /// What is drawn; `most` of 0: no faults.
  FaultOptions faults;
  Options options = {};
  /// Of the cluster's time.
  Time limit = std::chrono::minutes(10);
  /// Called when all programs have ended; reports what is wrong with Cluster::violate().
  std::function<void(Cluster&)> check = {};
};

Scenario program_scenario(ProgramScenario test);

}  // namespace troupe::sim
