#include "troupe/apps/swarm/scenario.hpp"

#include <stdexcept>

#include "troupe/apps/swarm/crew.hpp"

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;

constexpr int actions = 50;
constexpr sim::Time patience = 10s;  // with a cluster in which nothing is broken

/// In a cluster without faults no step may fail because a variable has no value yet.
void begin(sim::Cluster& cluster, Crew& crew) {
  auto limit = cluster.now() + 1s;
  do crew.pass(1ms);
  while (!crew.variables_are_set() && cluster.now() < limit);
}

void settle(sim::Cluster& cluster, Crew& crew, sim::Time faults_end) {
  crew.pass(std::max(sim::Time(0), faults_end - cluster.now()));
  cluster.mend();
  auto limit = cluster.now() + patience;
  while (crew.has_steps_under_way() && cluster.now() < limit) crew.pass(100ms);
  if (crew.has_steps_under_way())
    crew.fail("liveness", "a step never ended, though nothing is broken");
}

void expect_none(Crew& crew, const std::vector<std::string>& leaks) {
  std::string text;
  for (const auto& leak : leaks) text += (text.empty() ? "" : "; ") + leak;
  if (!leaks.empty()) crew.fail("leak", text);
}

void drive(
    sim::Cluster& cluster, sim::Seed seed, const World& world, sim::Cluster& single_task,
    const Crew::Log& log) {
  Crew crew(cluster, world, seed, single_task, log);
  sim::Random random(seed, "times");
  begin(cluster, crew);
  for (int i = 0; i < actions; ++i) {
    crew.pass(world.faults_end * random.between(0, 2000) / (1000 * actions));
    crew.act();
  }
  settle(cluster, crew, world.faults_end);
  crew.check_recovery();
  expect_none(crew, cluster.leaks_of_calls());
  crew.close();
  expect_none(crew, cluster.leaks());
  expect_none(crew, cluster.memory_leaks(World::containers()));
}

}  // namespace

sim::Scenario make_scenario(const Crew::Log& log) {
  auto catalogs = sim::Catalogs::make();
  return {
      .make =
          [catalogs](sim::Seed seed) {
            auto world = draw_world(seed, catalogs);
            return std::make_unique<sim::Cluster>(world.jobs, seed, world.options);
          },
      .faults = [catalogs](
                    const ClusterSpec&,
                    sim::Seed seed) { return draw_world(seed, catalogs).faults; },
      .drive =
          [catalogs, log](sim::Cluster& cluster, sim::Seed seed) {
            sim::Cluster single_task({{"local", 1}}, seed, {.catalogs = catalogs});
            drive(cluster, seed, draw_world(seed, catalogs), single_task, log);
          }};
}

}  // namespace troupe::swarm
