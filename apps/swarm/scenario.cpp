#include "troupe/apps/swarm/scenario.hpp"

#include <stdexcept>

#include "troupe/apps/swarm/workload/workload.hpp"

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;

constexpr int actions = 50;
constexpr sim::Time recovery_timeout = 10s;  // once all faults have ended

/// Initializes the variables, as without faults no step may fail because of one without a value.
void initialize(sim::Cluster& cluster, Workload& workload) {
  auto limit = cluster.now() + 1s;
  do workload.run_for(1ms);
  while (!workload.variables_are_set() && cluster.now() < limit);
}

/// Ends all faults, and waits until all pending steps have ended.
void end_faults(sim::Cluster& cluster, Workload& workload, sim::Time faults_end) {
  workload.run_for(std::max(sim::Time(0), faults_end - cluster.now()));
  cluster.end_all_faults();
  auto limit = cluster.now() + recovery_timeout;
  while (workload.has_pending_steps() && cluster.now() < limit) workload.run_for(100ms);
  if (workload.has_pending_steps())
    workload.fail("liveness", "a step never ended, though nothing is broken");
}

void expect_no_leaks(Workload& workload, const std::vector<std::string>& leaks) {
  std::string text;
  for (const auto& leak : leaks) text += (text.empty() ? "" : "; ") + leak;
  if (!leaks.empty()) workload.fail("leak", text);
}

void drive(
    sim::Cluster& cluster, sim::Seed seed, const ScenarioPlan& plan, sim::Cluster& single_task,
    const Workload::Log& log) {
  Workload workload(cluster, plan, seed, single_task, log);
  sim::Random random(seed, "times");
  initialize(cluster, workload);
  for (int i = 0; i < actions; ++i) {
    workload.run_for(plan.faults_end * random.between(0, 2000) / (1000 * actions));
    workload.act_randomly();
  }
  end_faults(cluster, workload, plan.faults_end);
  workload.check_recovery();
  expect_no_leaks(workload, cluster.leaks_of_calls());
  workload.close();
  expect_no_leaks(workload, cluster.leaks());
  expect_no_leaks(workload, cluster.memory_leaks(ScenarioPlan::containers()));
}

}  // namespace

sim::Scenario make_scenario(const Workload::Log& log) {
  auto catalogs = sim::Catalogs::make();
  return {
      .make =
          [catalogs](sim::Seed seed) {
            auto plan = draw_plan(seed, catalogs);
            return std::make_unique<sim::Cluster>(plan.jobs, seed, plan.options);
          },
      .faults = [catalogs](
                    const ClusterSpec&,
                    sim::Seed seed) { return draw_plan(seed, catalogs).faults; },
      .drive =
          [catalogs, log](sim::Cluster& cluster, sim::Seed seed) {
            sim::Cluster single_task({{"local", 1}}, seed, {.catalogs = catalogs});
            drive(cluster, seed, draw_plan(seed, catalogs), single_task, log);
          }};
}

}  // namespace troupe::swarm
