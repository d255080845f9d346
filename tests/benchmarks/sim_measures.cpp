#include <sys/resource.h>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/tests/benchmarks/measures.hpp"

namespace troupe::bench {
namespace {

constexpr int steps = 100;

double seconds_of(const std::function<void()>& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A variable on each task of a simulated cluster; steps increment those of the first `touched`
/// tasks.
void measure_cluster(Report& report, int tasks, int touched) {
  double step_s = 0;
  auto all_s = seconds_of([&] {
    sim::Cluster cluster({{"worker", tasks}}, sim::Seed{1});
    auto session = cluster.session("/job:worker/task:0");
    const auto& b = session.graph();
    Values bumps;
    for (int task = 0; task < tasks; ++task) {
      auto there = b.on("/job:worker/task:" + std::to_string(task));
      auto v = there.variable("v" + std::to_string(task), there.constant(0.0f));
      if (task < touched) bumps.push_back(v.assign_add(there.constant(1.0f)));
    }
    auto bump = b.group(bumps);
    (void)must(session.run({}, {}, {b.initializer()}));
    (void)must(session.run({}, {}, {bump}));
    step_s = seconds_of([&] {
      for (int i = 0; i < steps; ++i) (void)must(session.run({}, {}, {bump}));
    });
  });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  char note[96];
  std::snprintf(
      note, sizeof note, "%d steps, all in all %.2f s; peak of the process %ld MiB", steps, all_s,
      usage.ru_maxrss / 1024);
  report.push_back(
      {"simulated cluster of " + std::to_string(tasks) + ", step over " + std::to_string(touched),
       step_s * 1e6 / steps / touched, "us/task", note});
}

}  // namespace

void measure_simulated_clusters(Report& report) {
  for (int tasks : {10, 100, 1000}) measure_cluster(report, tasks, /*touched=*/2);
  for (int tasks : {10, 100, 1000}) measure_cluster(report, tasks, /*touched=*/tasks);
}

}  // namespace troupe::bench
