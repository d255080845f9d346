#include "troupe/apps/swarm/scenario_plan.hpp"

#include <algorithm>

#include "troupe/apps/swarm/workload/graph_generator.hpp"

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;
using sim::Fault;

constexpr double share_without_faults = 0.2;
constexpr double share_with_queues = 0.5;
constexpr double share_with_runner = 0.5;  // of these

/// Such that messages need grants and pieces.
LinkSizes draw_link_sizes(sim::Random& random) {
  if (random.chance(0.5)) return {};
  auto inline_bytes = static_cast<uint64_t>(random.between(64, 2000));
  return {
      .inline_bytes = inline_bytes,
      .piece_bytes = static_cast<uint32_t>(random.between(8, 500)),
      .announced_at_once = random.below(3) + 1,
      .granted_bytes = inline_bytes + random.below(5000),
      .in_part_bytes_min = inline_bytes};
}

NetworkOptions draw_network(sim::Random& random) {
  if (random.chance(0.5)) return {};
  return {
      .latency = Latency::exponential(10us, std::chrono::microseconds(random.between(50, 3000))),
      .bytes_per_second = random.chance(0.5) ? 1'000'000u : 0u,
      .link_sizes = draw_link_sizes(random)};
}

std::vector<Fault> draw_faults(
    const ScenarioPlan& plan, const ClusterSpec& spec, sim::Seed seed, sim::Random& random) {
  std::vector<Fault> faults;
  // Clock skew of up to 1 %. No step may fail because of it.
  if (random.chance(0.5))
    for (const auto& task : sim::task_names(spec))
      faults.push_back(
          {.kind = Fault::Kind::skew,
           .tasks = task,
           .number = 1 + static_cast<double>(random.between(-10, 10)) / 1000});
  if (random.chance(share_without_faults)) return faults;
  auto drawn = sim::draw_faults(
      spec, seed, {.begin = 5ms, .end = plan.faults_end, .most = random.chance(0.2) ? 12 : 4});
  faults.insert(faults.end(), drawn.begin(), drawn.end());
  return faults;
}

std::vector<SharedVariable> draw_variables(int ps_count, sim::Random& random) {
  std::vector<SharedVariable> variables;
  auto add = [&](const std::string& name, Tensor initial, bool is_counter) {
    variables.push_back(
        {.name = name,
         .container = random.pick(ScenarioPlan::containers()),
         .task = "/job:ps/task:" + std::to_string(random.below(static_cast<uint64_t>(ps_count))),
         .initial = std::move(initial),
         .is_counter = is_counter});
  };
  for (auto name : {"weights", "biases"})
    add(name, random_tensor(random, DType::float32, random_shape(random)), false);
  for (auto name : {"count", "total"}) add(name, Tensor::scalar<int64_t>(0), true);
  return variables;
}

SharedQueue draw_queue(const std::vector<std::string>& tasks, int64_t number, sim::Random& random) {
  SharedQueue queue{
      .kind = static_cast<SharedQueue::Kind>(random.below(4)),
      .name = "queue_" + std::to_string(number),
      .container = random.pick(ScenarioPlan::containers()),
      .task = random.pick(tasks),
      .reader = random.pick(tasks),
      .capacity = random.between(1, 6)};
  if (queue.kind == SharedQueue::Kind::random_shuffle)
    queue.min_after_dequeue = random.between(0, queue.capacity - 1);
  return queue;
}

SharedAccumulator draw_accumulator(
    const std::vector<std::string>& tasks, int64_t number, sim::Random& random) {
  return {
      .name = "accumulator_" + std::to_string(number),
      .container = random.pick(ScenarioPlan::containers()),
      .task = random.pick(tasks),
      .worker = random.pick(tasks),
      .is_mean = random.chance(0.5),
      .is_sparse = random.chance(0.4)};
}

void draw_queues(ScenarioPlan& plan, const std::vector<std::string>& tasks, sim::Random random) {
  if (!random.chance(share_with_queues)) return;
  for (auto count = random.between(1, 3); count > 0; --count)
    plan.queues.push_back(draw_queue(tasks, count, random));
  for (auto count = random.between(1, 2); count > 0; --count)
    plan.accumulators.push_back(draw_accumulator(tasks, count, random));
}

void draw_runner(ScenarioPlan& plan, const std::vector<std::string>& tasks, sim::Random random) {
  if (plan.queues.empty() || !random.chance(share_with_runner)) return;
  auto& runner = plan.runner.emplace();
  runner.name = "runner";
  runner.container = random.pick(ScenarioPlan::containers());
  runner.from = {
      .name = "from",
      .container = random.pick(ScenarioPlan::containers()),
      .task = random.pick(tasks),
      .capacity = random.between(1, 6)};
  runner.from.reader = runner.from.task;
  runner.to = runner.from;
  runner.to.name = "to";
  runner.to.capacity = random.between(1, 3);
  runner.steps_at_once = random.between(1, 3);
}

}  // namespace

bool ScenarioPlan::has_faults() const {
  return std::ranges::any_of(
      faults, [](const Fault& fault) { return fault.kind != Fault::Kind::skew; });
}

const std::vector<std::string>& ScenarioPlan::containers() {
  static const std::vector<std::string> names{"", "shared/one"};
  return names;
}

ScenarioPlan draw_plan(sim::Seed seed, const sim::Catalogs& catalogs) {
  sim::Random random(seed, "world");
  ScenarioPlan plan;
  auto ps_count = static_cast<int>(random.between(1, 3));
  plan.jobs = {{"ps", ps_count}, {"worker", static_cast<int>(random.between(1, 4))}};
  plan.options = {
      .network = draw_network(random),
      .connect_timeout = random.chance(0.5) ? 1000ms : 200ms,
      .heartbeat_limit = random.chance(0.5) ? 2000ms : 200ms,  // longer or shorter than most faults
      .catalogs = catalogs};
  // A well node may take longer to answer over a slow network.
  if (plan.options.network.bytes_per_second > 0) plan.options.connect_timeout = 1000ms;
  plan.variables = draw_variables(ps_count, random);
  plan.faults_end = std::chrono::milliseconds(random.between(50, 1500));
  auto spec = sim::make_spec(plan.jobs);
  plan.faults = draw_faults(plan, spec, seed, random);
  auto tasks = sim::task_names(spec);
  for (auto count = random.between(1, 4); count > 0; --count)
    plan.masters.push_back(random.pick(tasks));
  // By more than many round trips, and less than what heartbeats allow for.
  if (random.chance(0.25))
    plan.options.timer_delay_max = std::chrono::microseconds(random.between(100, 20'000));
  draw_queues(plan, tasks, sim::Random(seed, "queues"));
  draw_runner(plan, tasks, sim::Random(seed, "runner"));
  return plan;
}

}  // namespace troupe::swarm
