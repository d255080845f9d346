#include "troupe/actors/sim/program/program_scenario.hpp"

#include <utility>

namespace troupe::sim {
namespace {

void drive(Cluster& cluster, const ProgramScenario& test) {
  cluster.programs(test.program);
  auto ended = cluster.run_programs(test.limit);
  for (const auto& [task, status] : cluster.program_statuses())
    if (!status.ok()) return cluster.violate("the program of " + task + " succeeds", status);
  if (ended) return test.check ? test.check(cluster) : void();
  std::string tasks;
  for (const auto& task : cluster.running_programs()) tasks += (tasks.empty() ? "" : ", ") + task;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(cluster.now()).count();
  auto why = deadline_exceeded("still running after " + std::to_string(seconds) + " s: " + tasks);
  cluster.violate("programs end", why.at({.node = {}, .op = {}, .device = {}, .task = tasks}));
}

}  // namespace

Scenario program_scenario(ProgramScenario test) {
  if (!test.options.catalogs.ops) test.options.catalogs = Catalogs::make();
  auto shared = std::make_shared<const ProgramScenario>(std::move(test));
  return {
      .make =
          [shared](Seed seed) {
            return std::make_unique<Cluster>(shared->jobs, seed, shared->options);
          },
      .faults =
          [shared](const ClusterSpec& spec, Seed seed) {
            if (shared->faults.most == 0) return std::vector<Fault>();
            return draw_faults(spec, seed, shared->faults);
          },
      .drive = [shared](Cluster& cluster, Seed) { drive(cluster, *shared); }};
}

}  // namespace troupe::sim
