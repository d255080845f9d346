#include "troupe/apps/swarm/workload/random_graph.hpp"

namespace troupe::swarm {
namespace {

constexpr int step_kinds = 4;

void add_variables(
    RandomGraph& graph, const ScenarioPlan& plan, bool pinned, GraphGenerator& generator) {
  for (const auto& shared : plan.variables) {
    auto b = generator.builder().on(pinned ? shared.task : "");
    auto variable = b.container(shared.container).variable(shared.name, b.constant(shared.initial));
    graph.variables.push_back(variable);
    graph.reads.push_back(variable.value());
    graph.increments.push_back(
        shared.is_counter ? variable.assign_add(b.constant(int64_t{1})) : Value());
    if (!shared.is_counter) generator.add({graph.reads.back()});
  }
}

Values add_sources(GraphGenerator& generator) {
  Values placeholders;
  for (auto dtype : {DType::float32, DType::int64, DType::boolean}) {
    generator.add({generator.constant(dtype, random_shape(generator.random()))});
    auto shape = random_shape(generator.random());
    placeholders.push_back(generator.on_random_device().placeholder(dtype, shape));
  }
  generator.add(placeholders);
  return placeholders;
}

StepKind draw_step(GraphGenerator& generator, const Values& placeholders) {
  StepKind step;
  auto feed = [&](const Value& value) {
    step.feeds.push_back({value, random_tensor(generator.random(), value.dtype(), value.shape())});
  };
  for (const auto& placeholder : placeholders) feed(placeholder);
  const auto& values = generator.values();
  if (generator.random().chance(0.2)) {  // feeds the output of an inner node
    auto inner = generator.random().pick(values);
    auto is_fed = [&](const Feed& feed) { return feed.output.name == inner.name(); };
    if (std::ranges::none_of(step.feeds, is_fed)) feed(inner);
  }
  for (auto count = generator.random().between(1, 4); count > 0; --count) {
    // Prefers late values, which depend on more nodes.
    auto index =
        std::max(generator.random().below(values.size()), generator.random().below(values.size()));
    step.fetches.emplace_back(values[index]);
  }
  return step;
}

}  // namespace

RandomGraph draw_graph(
    const Builder& builder, const ScenarioPlan& plan, sim::Random random, bool pinned) {
  std::vector<std::string> devices{""};
  for (const auto& task : sim::task_names(sim::make_spec(plan.jobs)))
    devices.push_back(pinned ? task : "");
  GraphGenerator generator(builder, random, std::move(devices));
  RandomGraph graph;
  add_variables(graph, plan, pinned, generator);
  auto placeholders = add_sources(generator);
  auto rules = all_op_rules();
  for (auto count = generator.random().between(5, 25); count > 0; --count)
    generator.add(generator.random().pick(rules).draw(generator));
  for (int i = 0; i < step_kinds; ++i) graph.steps.push_back(draw_step(generator, placeholders));
  return graph;
}

void add_queues(RandomGraph& graph, const Builder& builder, const ScenarioPlan& plan) {
  for (const auto& queue : plan.queues) graph.queues.push_back(add_queue(builder, queue));
  for (const auto& accumulator : plan.accumulators)
    graph.accumulators.push_back(add_accumulator(builder, accumulator));
  if (plan.runner) graph.runner = add_runner(builder, *plan.runner);
}

}  // namespace troupe::swarm
