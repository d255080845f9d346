#include "troupe/apps/swarm/oracle/value_oracle.hpp"

#include <cstring>
#include <stdexcept>

namespace troupe::swarm {
namespace {

Tensors must(const Result<Tensors>& values) {
  if (!values) throw std::runtime_error("on a single task: " + values.status().to_string());
  return *values;
}

}  // namespace

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

std::vector<Tensors> expected_results(
    sim::Cluster& single_task, const ScenarioPlan& plan, const sim::Random& random) {
  auto session = single_task.session("/job:local/task:0");
  auto graph = draw_graph(session.graph(), plan, random, /*pinned=*/false);
  auto initialize = session.graph().initializer();
  (void)must(session.run({}, {}, {initialize}));
  std::vector<Tensors> results;
  for (const auto& step : graph.steps)
    results.push_back(must(session.run(step.feeds, step.fetches)));
  if (auto status = session.close(); !status.ok()) throw std::runtime_error(status.to_string());
  return results;
}

}  // namespace troupe::swarm
