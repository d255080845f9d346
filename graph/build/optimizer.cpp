#include "troupe/graph/build/optimizer.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

namespace troupe {

namespace {

/// The update of one variable in a training step. `builder` has the variable's device and
/// container. Where there are `rows`, `gradient` are their values.
struct Update {
  Builder builder;
  const Variable& variable;
  Value gradient;
  std::optional<IndexedSlices> rows = {};

  Value number(double value) const { return builder.like(gradient, value); }
  /// The learning rate of an optimizer, in the variable's dtype.
  template <class Options>
  Value rate_of(const Options& options) const {
    if (!options.rate.is_valid()) return number(options.learning_rate);
    if (options.rate.dtype() == variable.dtype) return options.rate;
    return builder.cast(options.rate, variable.dtype);
  }
};

/// A variable of zeros with another variable's device, container and scope.
Value make_slot(const Variable& variable, const char* name) {
  const auto& builder = variable.handle.builder();
  if (!variable.shape.is_known()) {
    builder.fail(invalid_argument(
                     "the optimizer's slot '" + std::string(name) + "' of a variable of shape " +
                     variable.shape.to_string() + " needs a known shape")
                     .at({.node = variable.name}));
    return {};
  }
  return builder.variable(name, builder.zeros(variable.dtype, variable.shape)).handle;
}

/// The rows of the update with those of one index summed.
IndexedSlices sum_rows(const Update& u) {
  auto distinct = u.builder.op("Unique", {u.rows->indices});
  if (!distinct.is_valid()) return {};
  auto count = u.builder.op("Size", {distinct});
  auto sums = u.builder.op("UnsortedSegmentSum", {u.gradient, distinct.output(1), count});
  return {.values = sums, .indices = distinct, .dense_shape = u.rows->dense_shape};
}

/// The nodes of one kind of optimizer: what all updates share, each update, and what runs after
/// them.
class Rule {
 public:
  virtual ~Rule() = default;

  virtual const char* name() const = 0;
  virtual void begin(const Update& first) {}
  virtual Value apply(const Update& update) const = 0;
  /// For a gradient of some rows.
  virtual Value apply_rows(const Update& update) const {
    return apply({update.builder, update.variable, to_tensor(update.builder, *update.rows)});
  }
  virtual Values end(const Builder& after_updates) const { return {}; }
};

class GradientDescentRule final : public Rule {
 public:
  explicit GradientDescentRule(GradientDescent options) : options_(options) {}

  const char* name() const override { return "GradientDescent"; }

  Value apply(const Update& u) const override {
    return u.builder.op(
        "ResourceApplyGradientDescent", {u.variable.handle, u.rate_of(options_), u.gradient});
  }

  Value apply_rows(const Update& u) const override {
    return u.builder.op(
        "ResourceScatterSub",
        {u.variable.handle, u.rows->indices, u.builder.mul(u.gradient, u.rate_of(options_))});
  }

 private:
  GradientDescent options_;
};

class MomentumRule final : public Rule {
 public:
  explicit MomentumRule(Momentum options) : options_(options) {}

  const char* name() const override { return "Momentum"; }

  Value apply(const Update& u) const override {
    return u.builder.op(
        "ResourceApplyMomentum",
        {u.variable.handle, make_slot(u.variable, "Momentum"), u.rate_of(options_), u.gradient,
         u.number(options_.momentum)},
        {{"use_nesterov", options_.use_nesterov}});
  }

  Value apply_rows(const Update& u) const override {
    auto rows = sum_rows(u);
    return u.builder.op(
        "ResourceSparseApplyMomentum",
        {u.variable.handle, make_slot(u.variable, "Momentum"), u.rate_of(options_), rows.values,
         rows.indices, u.number(options_.momentum)},
        {{"use_nesterov", options_.use_nesterov}});
  }

 private:
  Momentum options_;
};

class AdamRule final : public Rule {
 public:
  explicit AdamRule(Adam options) : options_(options) {}

  const char* name() const override { return "Adam"; }

  /// One pair of powers serves all variables. It is colocated with the first.
  void begin(const Update& first) override {
    beta1_power_ = first.builder.variable("beta1_power", first.number(options_.beta1));
    beta2_power_ = first.builder.variable("beta2_power", first.number(options_.beta2));
  }

  Value apply(const Update& u) const override {
    auto mean = make_slot(u.variable, "Adam");
    auto variance = make_slot(u.variable, "Adam");  // named "Adam_1", as in TensorFlow
    return u.builder.op(
        "ResourceApplyAdam", {u.variable.handle, mean, variance, power(beta1_power_, u),
                              power(beta2_power_, u), u.rate_of(options_), u.number(options_.beta1),
                              u.number(options_.beta2), u.number(options_.epsilon), u.gradient});
  }

  Values end(const Builder& after_updates) const override {
    auto raise = [&](const Variable& power, double beta) {
      return after_updates.op("AssignVariableOp", {power.handle, power.value() * beta});
    };
    return {raise(beta1_power_, options_.beta1), raise(beta2_power_, options_.beta2)};
  }

 private:
  static Value power(const Variable& power, const Update& u) {
    if (power.dtype == u.variable.dtype) return power.value();
    return u.builder.cast(power.value(), u.variable.dtype);
  }

  Adam options_;
  Variable beta1_power_;
  Variable beta2_power_;
};

std::unique_ptr<Rule> make_rule(const Optimizer& optimizer) {
  if (auto* options = std::get_if<Momentum>(&optimizer))
    return std::make_unique<MomentumRule>(*options);
  if (auto* options = std::get_if<Adam>(&optimizer)) return std::make_unique<AdamRule>(*options);
  return std::make_unique<GradientDescentRule>(std::get<GradientDescent>(optimizer));
}

/// The builder's variables that `loss` may depend on.
std::vector<Variable> reachable_variables(const Builder& builder, const Value& loss) {
  const auto& graph = builder.graph();
  std::vector<bool> needed(static_cast<size_t>(graph.size()));
  needed[loss.output().node] = true;
  for (auto id = loss.output().node; id >= 0; --id)
    if (needed[id])
      for (auto input : graph.node(id).inputs) needed[input.node] = true;

  std::vector<Variable> found;
  std::ranges::copy_if(builder.variables(), std::back_inserter(found), [&](const Variable& v) {
    return v.handle.is_valid() && needed[v.handle.output().node] &&
           std::ranges::count(floating(), v.dtype);
  });
  return found;
}

/// `builder` with the variable's device and container.
Builder colocated_builder(const Variable& variable, const Builder& builder) {
  const auto& handle = builder.graph().node(variable.handle.output().node);
  return builder.on(handle.device).container(handle.attr<std::string>("container"));
}

}  // namespace

Value apply_gradients(
    const Builder& builder, const Optimizer& optimizer, const std::vector<Variable>& variables,
    const Values& gradients) {
  std::vector<GradientValue> tensors;
  for (const auto& gradient : gradients) tensors.push_back({.tensor = gradient});
  return apply_sparse_gradients(builder, optimizer, variables, tensors);
}

Value apply_sparse_gradients(
    const Builder& builder, const Optimizer& optimizer, const std::vector<Variable>& variables,
    const std::vector<GradientValue>& gradients) {
  auto fail = [&](const char* why) {
    builder.fail(invalid_argument(why));
    return Value();
  };
  if (variables.empty()) return fail("an optimizer was given no gradients to apply");
  if (variables.size() != gradients.size()) return fail("each variable needs one gradient");
  for (const auto& gradient : gradients)
    if (!gradient.is_valid()) return fail("a gradient to apply belongs to no node of this graph");
  auto update_of = [&](const Builder& b, size_t i) {
    const auto& gradient = gradients[i];
    auto values = gradient.rows ? gradient.rows->values : gradient.tensor;
    return Update{b, variables[i], values, gradient.rows};
  };
  auto made = make_rule(optimizer);
  auto& rule = *made;
  rule.begin(update_of(colocated_builder(variables[0], builder), 0));
  auto scope = builder.scope(rule.name());
  auto last = colocated_builder(variables[0], scope);
  Values updates;
  for (size_t i = 0; i < variables.size(); ++i) {
    auto update_builder =
        colocated_builder(variables[i], scope.scope("update_" + variables[i].name));
    auto update = update_of(update_builder, i);
    updates.push_back(update.rows ? rule.apply_rows(update) : rule.apply(update));
  }
  for (const auto& update : rule.end(last.after(updates))) updates.push_back(update);
  return last.named("step").group(updates);
}

Value minimize(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    std::vector<Variable> variables) {
  auto fail = [&](Status status) {
    builder.fail(std::move(status));
    return Value();
  };
  if (!loss.is_valid()) return fail(invalid_argument("minimize() was given no loss"));
  if (variables.empty()) variables = reachable_variables(builder, loss);
  if (variables.empty())
    return fail(invalid_argument("the loss depends on no variable").at({.node = loss.node_name()}));

  Values handles;
  for (const auto& variable : variables) handles.push_back(variable.handle);
  auto grads = sparse_gradients(builder, {loss}, handles, {});
  if (!grads) return fail(grads.status());
  return apply_sparse_gradients(builder, optimizer, variables, *grads);
}

}  // namespace troupe
