#include "troupe/graph/build/optimizers/moving_average.hpp"

#include <algorithm>

#include "troupe/graph/build/initializers.hpp"
#include "troupe/graph/build/optimizers/colocation.hpp"

namespace troupe {

namespace {

/// What the variable's initializer assigns.
Value initial_value(const Variable& variable) {
  if (!variable.initializer.is_valid()) return {};
  const auto& b = variable.handle.builder();
  return b.value(b.graph().node(variable.initializer.output().node).inputs[1]);
}

}  // namespace

Value assign_moving_average(
    const Builder& builder, const Variable& variable, const Value& value, const Operand& decay,
    MovingAverageOptions options) {
  auto b = colocate_with(variable, builder.scope("AssignMovingAvg"));
  auto dtype = variable.dtype;
  auto fresh = Operand(value).tensor(b, dtype);
  auto rest = 1.0 - decay.tensor(b, dtype);
  auto initial = initial_value(variable);
  if (!fresh.is_valid() || !rest.is_valid() || !initial.is_valid()) {
    b.fail(invalid_argument("a moving average needs a variable, a value and a decay"));
    return {};
  }
  auto change = [&](const Variable& average) {
    return b.mul(b.sub(read_variable(b, average), fresh), rest);
  };
  if (!options.zero_debias) return b.op("AssignSubVariableOp", {variable.handle, change(variable)});

  const auto& state = variable.handle.builder();
  auto biased = state.variable("biased", state.zeros_like(initial));
  auto count = state.variable("local_step", Operand(0).tensor(state, dtype));
  auto updates = b.after(
      {b.op("AssignSubVariableOp", {biased.handle, change(biased)}),
       b.op("AssignAddVariableOp", {count.handle, Operand(1).tensor(b, dtype)})});
  Attrs read{{"dtype", dtype}};
  auto lack = b.op("Pow", {1.0 - rest, updates.op("ReadVariableOp", {count.handle}, read)});
  auto average = b.div(updates.op("ReadVariableOp", {biased.handle}, read), 1.0 - lack);
  return b.op("AssignVariableOp", {variable.handle, average});
}

ExponentialMovingAverage::ExponentialMovingAverage(
    Operand decay, ExponentialMovingAverageOptions options)
    : decay_(std::move(decay)), options_(std::move(options)) {}

Operand ExponentialMovingAverage::decay_at(const Builder& b, DType dtype) const {
  if (!options_.num_updates.is_valid()) return decay_;
  auto updates = Operand(options_.num_updates).tensor(b, dtype);
  auto most = b.div(updates + 1.0, updates + 10.0);
  return b.op("Minimum", {decay_.tensor(b, dtype), most});
}

Value ExponentialMovingAverage::apply(
    const Builder& builder, const std::vector<Variable>& variables) {
  auto b = builder.scope(options_.name);
  Values updates;
  for (const auto& variable : variables) {
    auto initial = initial_value(variable);
    if (!initial.is_valid() || averages_.contains(variable.name)) {
      b.fail(invalid_argument("Moving average already computed for: " + variable.name));
      return {};
    }
    auto shadow = variable.handle.builder().variable(options_.name, initial);
    averages_.emplace(variable.name, shadow);
    auto here = colocate_with(shadow, b);
    updates.push_back(assign_moving_average(
        here, shadow, read_variable(here, variable), decay_at(here, variable.dtype),
        {.zero_debias = false}));
  }
  return b.group(updates);
}

Value ExponentialMovingAverage::apply_to_tensors(const Builder& builder, const Values& tensors) {
  auto b = builder.scope(options_.name);
  Values updates;
  for (const auto& tensor : tensors) {
    auto own = Operand(tensor).tensor(b);
    if (!own.is_valid()) return {};
    if (averages_.contains(own.name())) {
      b.fail(invalid_argument("Moving average already computed for: " + own.name()));
      return {};
    }
    const auto& node = b.graph().node(own.output().node);
    auto state = tensor.builder().on(node.device).within(node.name + "/");
    auto zeros = zeros_initializer()(state, own.shape(), own.dtype());
    auto shadow = state.variable(options_.name, zeros);
    averages_.emplace(own.name(), shadow);
    auto here = colocate_with(shadow, b);
    updates.push_back(assign_moving_average(
        here, shadow, own, decay_at(here, own.dtype()), {.zero_debias = options_.zero_debias}));
  }
  return b.group(updates);
}

std::optional<Variable> ExponentialMovingAverage::average(const Variable& variable) const {
  auto found = averages_.find(variable.name);
  return found == averages_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Variable> ExponentialMovingAverage::average(const Value& tensor) const {
  auto found = averages_.find(tensor.name());
  return found == averages_.end() ? std::nullopt : std::optional(found->second);
}

std::string ExponentialMovingAverage::average_name(const Variable& variable) const {
  return variable.name + "/" + options_.name;
}

std::map<std::string, Variable> ExponentialMovingAverage::variables_to_restore(
    const Builder& builder) const {
  std::map<std::string, Variable> named;
  for (const auto& variable : builder.variables()) {
    auto has_average = averages_.contains(variable.name);
    named.emplace(has_average ? average_name(variable) : variable.name, variable);
  }
  return named;
}

}  // namespace troupe
