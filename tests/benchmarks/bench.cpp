// What do starting, stepping and training cost on this machine?
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <thread>

#include <CLI/CLI.hpp>

#include "troupe/tests/benchmarks/measures.hpp"

namespace {

std::string machine() {
  std::string model = "unknown processor";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  utsname name{};
  uname(&name);
  return std::to_string(std::thread::hardware_concurrency()) + " cores of " + model + ", " +
         name.sysname + " " + name.release;
}

/// A group of figures under the name that --only takes.
struct Group {
  std::string name;
  std::function<void(troupe::bench::Report&)> measure;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace troupe::bench;
  CLI::App app{"Measures what steps cost, in this process and over real nodes on the loopback."};
  bool json = false;
  app.add_flag("--json", json, "Print one JSON object instead of the table");
  double floor_us = 0;
  const std::vector<Group> groups{
      {"executor", measure_executor},
      {"local-steps", measure_local_steps},
      {"threads", measure_threads},
      {"first-run", measure_first_run},
      {"large-graph", measure_large_graph},
      {"pictures", measure_pictures},
      {"simulation", measure_simulated_clusters},
      {"nodes", [&](Report& report) { measure_nodes(report, floor_us); }},
  };
  std::vector<std::string> names, only;
  for (const auto& group : groups) names.push_back(group.name);
  app.add_option("--only", only, "Measure these groups of figures, in their usual order")
      ->type_name("GROUP")
      ->check(CLI::IsMember(names));
  CLI11_PARSE(app, argc, argv);

  Report report;
  floor_us = measure_raw_round_trip(report);  // first, as it forks: no thread may run
  for (const auto& group : groups)
    if (only.empty() || std::ranges::find(only, group.name) != only.end()) group.measure(report);
  if (json) std::cout << to_json(report, machine()).dump(2) << "\n";
  else print_table(report, machine());
}
