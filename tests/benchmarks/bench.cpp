// What do starting, stepping and training cost on this machine?
#include <sys/utsname.h>

#include <fstream>
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

}  // namespace

int main(int argc, char** argv) {
  using namespace troupe::bench;
  CLI::App app{"Measures what steps cost, in this process and over real nodes on the loopback."};
  bool json = false;
  app.add_flag("--json", json, "Print one JSON object instead of the table");
  CLI11_PARSE(app, argc, argv);

  Report report;
  auto floor_us = measure_raw_round_trip(report);  // first, as it forks: no thread may run
  measure_executor(report);
  measure_local_steps(report);
  measure_threads(report);
  measure_first_run(report);
  measure_large_graph(report);
  measure_pictures(report);
  measure_simulated_clusters(report);
  measure_nodes(report, floor_us);
  if (json) std::cout << to_json(report, machine()).dump(2) << "\n";
  else print_table(report, machine());
}
