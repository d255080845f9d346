#include "troupe/graph/optimize/optimize.hpp"

#include <algorithm>
#include <array>

#include "troupe/graph/optimize/mixed_precision.hpp"

namespace troupe {
namespace {

struct OptimizationPass {
  const char* name;
  void (*run)(StepGraph&, const EvaluateNode&);
};

template <void (*run)(StepGraph&)>
void without_evaluation(StepGraph& step, const EvaluateNode& evaluate) {
  run(step);
}

constexpr std::array<OptimizationPass, 6> all_passes{
    {{"materialize_shapes", without_evaluation<materialize_shapes>},
     {"fold_constants", fold_constants},
     {"simplify_arithmetic", without_evaluation<simplify_arithmetic>},
     {"merge_duplicates", without_evaluation<merge_duplicates>},
     {"reduce_controls", without_evaluation<reduce_controls>},
     {"spread_constants", without_evaluation<spread_constants>}}};

}  // namespace

std::vector<std::string> optimization_passes() {
  std::vector<std::string> names;
  for (const auto& pass : all_passes) names.emplace_back(pass.name);
  return names;
}

Status check_pass_names(const std::vector<std::string>& names) {
  auto known = optimization_passes();
  std::string list;
  for (const auto& pass : known) list += (list.empty() ? "" : ", ") + pass;
  for (const auto& name : names)
    if (!std::ranges::count(known, name))
      return invalid_argument("'" + name + "' is no optimization pass; they are " + list);
  return {};
}

std::shared_ptr<const PlacedStep> optimize(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
    const OptimizeOptions& options) {
  std::shared_ptr<const PlacedStep> mixed;
  if (options.precision) {
    mixed = mix_precision(graph, step, devices, *options.precision);
    if (options.observe && mixed) options.observe("mixed_precision", *mixed);
  }
  auto is_disabled = [&](const OptimizationPass& pass) {
    return std::ranges::count(options.disabled, pass.name) > 0;
  };
  if (std::ranges::all_of(all_passes, is_disabled)) return mixed;
  auto changing = mixed ? StepGraph(*mixed->graph, mixed->step, mixed->devices)
                        : StepGraph(graph, step, devices);
  for (const auto& pass : all_passes) {
    if (is_disabled(pass)) continue;
    pass.run(changing, options.evaluate);
    if (!options.observe) continue;
    if (auto now = changing.to_step()) options.observe(pass.name, *now);
  }
  if (!changing.is_changed()) return mixed;
  auto optimized = changing.to_step();
  return optimized ? std::make_shared<const PlacedStep>(*std::move(optimized)) : mixed;
}

}  // namespace troupe
