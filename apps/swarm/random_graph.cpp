#include "troupe/apps/swarm/random_graph.hpp"

namespace troupe::swarm {
namespace {

constexpr int step_kinds = 4;

void add_variables(RandomGraph& graph, const World& world, bool pinned, Sketch& sketch) {
  for (const auto& shared : world.variables) {
    auto b = sketch.builder().on(pinned ? shared.task : "");
    auto variable = b.container(shared.container).variable(shared.name, b.constant(shared.initial));
    graph.variables.push_back(variable);
    graph.reads.push_back(variable.value());
    graph.bumps.push_back(
        shared.is_counter ? variable.assign_add(b.constant(int64_t{1})) : Value());
    if (!shared.is_counter) sketch.add({graph.reads.back()});
  }
}

Values add_sources(Sketch& sketch) {
  Values placeholders;
  for (auto dtype : {DType::float32, DType::int64, DType::boolean}) {
    sketch.add({sketch.constant(dtype, random_shape(sketch.random()))});
    auto shape = random_shape(sketch.random());
    placeholders.push_back(sketch.somewhere().placeholder(dtype, shape));
  }
  sketch.add(placeholders);
  return placeholders;
}

StepKind draw_step(Sketch& sketch, const Values& placeholders) {
  StepKind step;
  auto feed = [&](const Value& value) {
    step.feeds.push_back({value, random_tensor(sketch.random(), value.dtype(), value.shape())});
  };
  for (const auto& placeholder : placeholders) feed(placeholder);
  const auto& values = sketch.values();
  if (sketch.random().chance(0.2)) {  // in place of what some node would compute
    auto inner = sketch.random().pick(values);
    auto is_fed = [&](const Feed& feed) { return feed.output.name == inner.name(); };
    if (std::ranges::none_of(step.feeds, is_fed)) feed(inner);
  }
  for (auto count = sketch.random().between(1, 4); count > 0; --count) {
    // Late values are of more nodes.
    auto index =
        std::max(sketch.random().below(values.size()), sketch.random().below(values.size()));
    step.fetches.emplace_back(values[index]);
  }
  return step;
}

}  // namespace

RandomGraph draw_graph(
    const Builder& builder, const World& world, sim::Random random, bool pinned) {
  std::vector<std::string> devices{""};
  for (const auto& task : sim::task_names(sim::make_spec(world.jobs)))
    devices.push_back(pinned ? task : "");
  Sketch sketch(builder, random, std::move(devices));
  RandomGraph graph;
  add_variables(graph, world, pinned, sketch);
  auto placeholders = add_sources(sketch);
  auto rules = all_op_rules();
  for (auto count = sketch.random().between(5, 25); count > 0; --count)
    sketch.add(sketch.random().pick(rules).draw(sketch));
  for (int i = 0; i < step_kinds; ++i) graph.steps.push_back(draw_step(sketch, placeholders));
  return graph;
}

}  // namespace troupe::swarm
