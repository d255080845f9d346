#include "troupe/graph/build/optimizers/optimizer.hpp"

#include <algorithm>
#include <iterator>

#include "troupe/graph/build/optimizers/colocation.hpp"
#include "troupe/graph/build/optimizers/update_rule.hpp"

namespace troupe {

namespace {

/// The builder's variables that `loss` may depend on.
std::vector<Variable> reachable_variables(const Builder& builder, const Value& loss) {
  const auto& graph = builder.graph();
  std::vector<bool> needed(static_cast<size_t>(graph.size()));
  needed[static_cast<size_t>(loss.output().node)] = true;
  for (auto id = loss.output().node; id >= 0; --id)
    if (needed[static_cast<size_t>(id)])
      for (auto input : graph.node(id).inputs) needed[static_cast<size_t>(input.node)] = true;

  std::vector<Variable> found;
  std::ranges::copy_if(builder.variables(), std::back_inserter(found), [&](const Variable& v) {
    return v.handle.is_valid() && needed[static_cast<size_t>(v.handle.output().node)] &&
           std::ranges::count(floating(), v.dtype);
  });
  return found;
}

/// The pairs that have a gradient.
GradientsAndVariables with_gradients(const GradientsAndVariables& pairs) {
  GradientsAndVariables found;
  std::ranges::copy_if(pairs, std::back_inserter(found), [](const GradientAndVariable& pair) {
    return pair.gradient.is_valid() && pair.variable.handle.is_valid();
  });
  return found;
}

Status no_gradients(const GradientsAndVariables& pairs) {
  std::string names;
  for (const auto& pair : pairs) names += (names.empty() ? "" : ", ") + pair.variable.name;
  return invalid_argument("No gradients provided for any variable: [" + names + "]");
}

std::vector<Update> updates_of(const Builder& scope, const GradientsAndVariables& pairs) {
  std::vector<Update> updates;
  for (const auto& [gradient, variable] : pairs) {
    auto builder = colocate_with(variable, scope.scope("update_" + variable.name));
    auto values = gradient.rows ? gradient.rows->values : gradient.tensor;
    updates.push_back({builder, variable, values, gradient.rows});
  }
  return updates;
}

/// Increments the global step after the updates.
Value count_step(const Builder& after_updates, const Variable& global_step) {
  auto b = colocate_with(global_step, after_updates);
  auto one = Operand(1).tensor(b, global_step.dtype);
  return b.op("AssignAddVariableOp", {global_step.handle, one});
}

}  // namespace

GradientsAndVariables compute_gradients(
    const Builder& builder, const Value& loss, const std::vector<Variable>& var_list,
    const Value& grad_loss) {
  auto fail = [&](Status status) {
    builder.fail(std::move(status));
    return GradientsAndVariables();
  };
  if (!loss.is_valid()) return fail(invalid_argument("there is no loss to minimize"));
  if (&loss.builder().graph() != &builder.graph())
    return fail(invalid_argument("the loss belongs to no node of this graph"));
  auto variables = var_list.empty() ? reachable_variables(builder, loss) : var_list;
  if (variables.empty())
    return fail(invalid_argument("the loss depends on no variable").at({.node = loss.node_name()}));

  Values handles;
  for (const auto& variable : variables) handles.push_back(variable.handle);
  GradientOptions options{.allow_unconnected = true};
  if (grad_loss.is_valid()) options.grad_ys = {grad_loss};
  auto gradients = sparse_gradients(builder, {loss}, handles, options);
  if (!gradients) return fail(gradients.status());
  GradientsAndVariables pairs;
  for (size_t i = 0; i < variables.size(); ++i) pairs.push_back({(*gradients)[i], variables[i]});
  return pairs;
}

Value apply_gradients(
    const Builder& builder, const Optimizer& optimizer, const GradientsAndVariables& grads_and_vars,
    const std::optional<Variable>& global_step) {
  auto fail = [&](const Status& status) {
    builder.fail(status);
    return Value();
  };
  auto pairs = with_gradients(grads_and_vars);
  if (pairs.empty()) return fail(no_gradients(grads_and_vars));
  auto rule = make_update_rule(optimizer);
  if (!rule->fault().ok()) return fail(rule->fault());
  auto scope = builder.scope(rule->name());
  auto updates = updates_of(scope, pairs);
  rule->begin(updates);
  Values done;
  for (const auto& update : updates)
    done.push_back(update.rows ? rule->apply_rows(update) : rule->apply(update));
  auto last = colocate_with(pairs[0].variable, scope);
  for (const auto& update : rule->end(last.after(done))) done.push_back(update);
  if (global_step) done = {count_step(last.after(done), *global_step)};
  return last.named("step").group(done);
}

Value minimize(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    const MinimizeOptions& options) {
  auto pairs = compute_gradients(builder, loss, options.var_list, options.grad_loss);
  if (pairs.empty()) return {};
  return apply_gradients(builder, optimizer, pairs, options.global_step);
}

}  // namespace troupe
