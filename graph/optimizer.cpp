#include "troupe/graph/optimizer.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "troupe/graph/gradients.hpp"

namespace troupe {

namespace {

/// One variable's part of a training step. `home` makes nodes where the variable lives.
struct Update {
  Builder home;
  const Variable& variable;
  const Value& gradient;

  Value number(double value) const { return home.like(gradient, value); }
  /// The learning rate of an optimizer, in the variable's dtype.
  template <class Options>
  Value rate_of(const Options& options) const {
    if (!options.rate.is_valid()) return number(options.learning_rate);
    if (options.rate.dtype() == variable.dtype) return options.rate;
    return home.cast(options.rate, variable.dtype);
  }
};

/// A variable of zeros beside another one: on its device, in its container, under its name.
Value make_slot(const Variable& variable, const char* name) {
  const auto& beside = variable.handle.builder();
  if (!variable.shape.is_known()) {
    beside.fail(invalid_argument(
                    "the optimizer's memory '" + std::string(name) + "' of a variable of shape " +
                    variable.shape.to_string() + " needs a known shape")
                    .at({.node = variable.name}));
    return {};
  }
  return beside.variable(name, beside.zeros(variable.dtype, variable.shape)).handle;
}

/// How one optimizer makes its nodes: what all updates share, each update, and what runs after all.
class Rule {
 public:
  virtual ~Rule() = default;

  virtual const char* name() const = 0;
  virtual void begin(const Update& first) {}
  virtual Value apply(const Update& update) const = 0;
  virtual Values end(const Builder& after_updates) const { return {}; }
};

class GradientDescentRule final : public Rule {
 public:
  explicit GradientDescentRule(GradientDescent options) : options_(options) {}

  const char* name() const override { return "GradientDescent"; }

  Value apply(const Update& u) const override {
    return u.home.op(
        "ResourceApplyGradientDescent", {u.variable.handle, u.rate_of(options_), u.gradient});
  }

 private:
  GradientDescent options_;
};

class MomentumRule final : public Rule {
 public:
  explicit MomentumRule(Momentum options) : options_(options) {}

  const char* name() const override { return "Momentum"; }

  Value apply(const Update& u) const override {
    return u.home.op(
        "ResourceApplyMomentum",
        {u.variable.handle, make_slot(u.variable, "Momentum"), u.rate_of(options_), u.gradient,
         u.number(options_.momentum)},
        {{"use_nesterov", options_.use_nesterov}});
  }

 private:
  Momentum options_;
};

class AdamRule final : public Rule {
 public:
  explicit AdamRule(Adam options) : options_(options) {}

  const char* name() const override { return "Adam"; }

  /// One pair of powers serves all variables, and lives beside the first.
  void begin(const Update& first) override {
    beta1_power_ = first.home.variable("beta1_power", first.number(options_.beta1));
    beta2_power_ = first.home.variable("beta2_power", first.number(options_.beta2));
  }

  Value apply(const Update& u) const override {
    auto mean = make_slot(u.variable, "Adam");
    auto variance = make_slot(u.variable, "Adam");  // named "Adam_1", as in TensorFlow
    return u.home.op(
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
    return u.home.cast(power.value(), u.variable.dtype);
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
std::vector<Variable> variables_behind(const Builder& builder, const Value& loss) {
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

/// `builder`, making nodes and variables where that variable lives.
Builder beside(const Variable& variable, const Builder& builder) {
  const auto& handle = builder.graph().node(variable.handle.output().node);
  return builder.on(handle.device).container(handle.attr<std::string>("container"));
}

}  // namespace

Value apply_gradients(
    const Builder& builder, const Optimizer& optimizer, const std::vector<Variable>& variables,
    const Values& gradients) {
  auto fail = [&](const char* why) {
    builder.fail(invalid_argument(why));
    return Value();
  };
  if (variables.empty()) return fail("an optimizer was given no gradients to apply");
  if (variables.size() != gradients.size()) return fail("each variable needs one gradient");
  for (const auto& gradient : gradients)
    if (!gradient.is_valid()) return fail("a gradient to apply belongs to no node of this graph");
  auto made = make_rule(optimizer);
  auto& rule = *made;
  rule.begin({beside(variables[0], builder), variables[0], gradients[0]});
  auto scope = builder.scope(rule.name());
  auto last = beside(variables[0], scope);
  Values updates;
  for (size_t i = 0; i < variables.size(); ++i) {
    auto home = beside(variables[i], scope.scope("update_" + variables[i].name));
    updates.push_back(rule.apply({home, variables[i], gradients[i]}));
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
  if (variables.empty()) variables = variables_behind(builder, loss);
  if (variables.empty())
    return fail(invalid_argument("the loss depends on no variable").at({.node = loss.node_name()}));

  Values handles;
  for (const auto& variable : variables) handles.push_back(variable.handle);
  auto slopes = gradients(builder, {loss}, handles);
  if (!slopes) return fail(slopes.status());
  return apply_gradients(builder, optimizer, variables, *slopes);
}

}  // namespace troupe
