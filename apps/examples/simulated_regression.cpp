#include <cctype>
#include <iostream>
#include <logistic_regression.hpp>
#include <string>
#include <string_view>

#include "troupe/actors/sim/program/program_scenario.hpp"

// Tests logistic_regression.cpp: its tasks run as programs of a simulated cluster, of which they
// are killed, frozen and cut off. `simulated_regression [SEEDS [THREADS]]`

using namespace troupe;
using namespace std::chrono_literals;
using Kind = sim::Fault::Kind;

namespace {

/// A training of forty steps by two workers; a step of more than `step_timeout` fails.
sim::Scenario training(std::chrono::milliseconds step_timeout) {
  return sim::program_scenario({
      .jobs = {{"ps", 1}, {"worker", 2}},
      .program =
          [step_timeout](sim::Program& task) {
            LogisticRegression regression(task.random().next(), step_timeout);
            auto status = regression.run(task, {.last_step = 40});
            return status.ok() && regression.loss() > 0.6 ? internal("did not learn") : status;
          },
      .faults = {.end = 100ms, .kinds = {Kind::crash, Kind::freeze, Kind::cut, Kind::break_link}},
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !std::isdigit(static_cast<unsigned char>(*argv[1]))) {
    std::cerr
        << "usage: " << argv[0] << " [SEEDS [THREADS]]\n"
        << "Trains on so many simulated clusters, 100 by default, and then with a planted bug.\n";
    return std::string_view(argv[1]) == "--help" ? 0 : 2;
  }
  sim::Seeds seeds{.count = argc > 1 ? std::stoul(argv[1]) : 100};
  if (argc > 2) seeds.threads = std::stoi(argv[2]);
  if (auto found = sim::check_seeds(training(0ms), seeds)) {
    std::cerr << found->to_string();
    return 1;
  }
  std::cout << seeds.count << " seeds are clean\n\n";
  // A planted bug: a deadline of steps, whose error no retry takes up.
  auto found = sim::check_seeds(training(20ms), seeds);
  if (!found) return 1;
  std::cout << found->to_string();
}
