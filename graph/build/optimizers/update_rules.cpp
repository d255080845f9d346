#include <algorithm>

#include "troupe/graph/build/optimizers/colocation.hpp"
#include "troupe/graph/build/optimizers/update_rule.hpp"

namespace troupe {

namespace {

class GradientDescentRule final : public UpdateRule {
 public:
  using UpdateRule::UpdateRule;

  /// Rows of one index need not be summed before they are added.
  Value apply_rows(const Update& u) const override {
    auto rate = number("alpha").tensor(u.builder, u.variable.dtype);
    auto change = u.builder.mul(u.builder.neg(u.gradient), rate);
    return u.builder.op("ResourceScatterAdd", {u.variable.handle, u.rows->indices, change});
  }
};

class AdamRule final : public UpdateRule {
 public:
  using UpdateRule::UpdateRule;

  /// One pair of powers serves all variables. It is colocated with the first by name.
  void begin(const std::vector<Update>& updates) override {
    const auto& first = *std::ranges::min_element(
        updates, {}, [](const Update& update) { return update.variable.name; });
    auto b = first.variable.handle.builder().within("");
    auto dtype = updates[0].variable.dtype;
    beta1_power_ = b.variable("beta1_power", number("beta1").tensor(b, dtype));
    beta2_power_ = b.variable("beta2_power", number("beta2").tensor(b, dtype));
  }

  Value apply(const Update& u) const override {
    auto given = with_powers(u);
    given["grad"] = u.gradient;
    return add(u, "ResourceApplyAdam", given);
  }

  /// There is no op for rows: each average decays as a whole before its rows are added to.
  Value apply_rows(const Update& u) const override {
    auto rows = sum_rows(u);
    auto given = with_powers(u);
    const auto& b = u.builder;
    auto mean = decayed(u, given["m"], given["beta1"], {rows.values, rows.indices});
    auto squares = b.square(rows.values);
    auto variance = decayed(u, given["v"], given["beta2"], {squares, rows.indices});
    auto correction =
        b.div(b.sqrt(one_minus(u, given["beta2_power"])), one_minus(u, given["beta1_power"]));
    auto step = b.mul(b.mul(given["lr"], correction), mean);
    auto change = b.div(step, b.add(b.sqrt(variance), given["epsilon"]));
    return b.op("AssignSubVariableOp", {u.variable.handle, change});
  }

  Values end(const Builder& after_updates) const override {
    auto raise = [&](const Variable& power, const char* beta) {
      auto b = colocate_with(power, after_updates);
      auto raised = b.mul(power, number(beta).tensor(b, power.dtype));
      return b.op("AssignVariableOp", {power.handle, raised});
    };
    return {raise(beta1_power_, "beta1"), raise(beta2_power_, "beta2")};
  }

 private:
  Arguments with_powers(const Update& u) const {
    auto given = arguments(u);
    given["beta1_power"] = Operand(beta1_power_).tensor(u.builder, u.variable.dtype);
    given["beta2_power"] = Operand(beta2_power_).tensor(u.builder, u.variable.dtype);
    return given;
  }

  static Value one_minus(const Update& u, const Value& x) {
    return u.builder.sub(Operand(1).tensor(u.builder, u.variable.dtype), x);
  }

  /// A slot as it is after it has been multiplied by beta and the rows have been added to it.
  static Value decayed(
      const Update& u, const Value& slot, const Value& beta, const IndexedSlices& rows) {
    const auto& b = u.builder;
    Attrs read{{"dtype", u.variable.dtype}};
    auto kept = b.op("AssignVariableOp", {slot, b.mul(b.op("ReadVariableOp", {slot}, read), beta)});
    auto share = b.mul(rows.values, one_minus(u, beta));
    auto added = b.after({kept}).op("ResourceScatterAdd", {slot, rows.indices, share});
    return b.after({added}).op("ReadVariableOp", {slot}, read);
  }

  Variable beta1_power_;
  Variable beta2_power_;
};

Status need_positive(const char* option, double value) {
  if (value > 0) return {};
  return invalid_argument(std::string(option) + " must be > 0: " + std::to_string(value));
}

UpdateRule::Form form_of(const GradientDescent& o) {
  return {.name = o.name, .op = "GradientDescent", .numbers = {{"alpha", o.learning_rate}}};
}

UpdateRule::Form form_of(const ProximalGradientDescent& o) {
  return {
      .name = o.name,
      .op = "ProximalGradientDescent",
      .numbers = {
          {"alpha", o.learning_rate},
          {"l1", o.l1_regularization_strength},
          {"l2", o.l2_regularization_strength}}};
}

UpdateRule::Form form_of(const Momentum& o) {
  return {
      .name = o.name,
      .op = "Momentum",
      .numbers = {{"lr", o.learning_rate}, {"momentum", o.momentum}},
      .slots = {{"accum", o.name}},
      .attrs = {{"use_nesterov", o.use_nesterov}}};
}

UpdateRule::Form form_of(const Adam& o) {
  return {
      .name = o.name,
      .op = "Adam",
      .numbers =
          {{"lr", o.learning_rate}, {"beta1", o.beta1}, {"beta2", o.beta2}, {"epsilon", o.epsilon}},
      // The second one is named "Adam_1", as in TensorFlow.
      .slots = {{"m", o.name}, {"v", o.name}}};
}

UpdateRule::Form form_of(const Adagrad& o) {
  return {
      .name = o.name,
      .op = "Adagrad",
      .numbers = {{"lr", o.learning_rate}},
      .slots = {{"accum", o.name, o.initial_accumulator_value}},
      .fault = need_positive("initial_accumulator_value", o.initial_accumulator_value)};
}

UpdateRule::Form form_of(const ProximalAdagrad& o) {
  return {
      .name = o.name,
      .op = "ProximalAdagrad",
      .numbers =
          {{"lr", o.learning_rate},
           {"l1", o.l1_regularization_strength},
           {"l2", o.l2_regularization_strength}},
      .slots = {{"accum", o.name, o.initial_accumulator_value}},
      .fault = need_positive("initial_accumulator_value", o.initial_accumulator_value)};
}

UpdateRule::Form form_of(const AdagradDA& o) {
  auto initial = o.initial_gradient_squared_accumulator_value;
  auto fault = need_positive("initial_gradient_squared_accumulator_value", initial);
  if (!o.global_step.is_valid()) fault = invalid_argument("AdagradDA needs a global_step");
  return {
      .name = o.name,
      .op = "AdagradDA",
      .numbers =
          {{"lr", o.learning_rate},
           {"l1", o.l1_regularization_strength},
           {"l2", o.l2_regularization_strength},
           {"global_step", o.global_step + 1.0}},
      .slots =
          {{"gradient_accumulator", o.name}, {"gradient_squared_accumulator", o.name, initial}},
      .fault = fault};
}

UpdateRule::Form form_of(const Adadelta& o) {
  return {
      .name = o.name,
      .op = "Adadelta",
      .numbers = {{"lr", o.learning_rate}, {"rho", o.rho}, {"epsilon", o.epsilon}},
      .slots = {{"accum", o.name}, {"accum_update", o.name}}};
}

UpdateRule::Form form_of(const RMSProp& o) {
  UpdateRule::Form form{
      .name = o.name,
      .op = o.centered ? "CenteredRMSProp" : "RMSProp",
      .numbers =
          {{"lr", o.learning_rate},
           {"rho", o.decay},
           {"momentum", o.momentum},
           {"epsilon", o.epsilon}},
      .slots = {{"ms", o.name, 1}}};
  if (o.centered) form.slots.push_back({"mg", o.name});
  form.slots.push_back({"mom", o.name});
  return form;
}

UpdateRule::Form form_of(const Ftrl& o) {
  UpdateRule::Form form{
      .name = o.name,
      .op = "Ftrl",
      .numbers =
          {{"lr", o.learning_rate},
           {"l1", o.l1_regularization_strength},
           {"l2", o.l2_regularization_strength},
           {"lr_power", o.learning_rate_power}},
      .slots = {{"accum", o.name, o.initial_accumulator_value}, {"linear", o.name + "_1"}}};
  auto shrinkage = o.l2_shrinkage_regularization_strength;
  if (shrinkage != 0) {
    form.op = "FtrlV2";
    form.numbers["l2_shrinkage"] = shrinkage;
  }
  if (o.initial_accumulator_value < 0)
    form.fault = invalid_argument("initial_accumulator_value needs to be >= 0");
  if (o.learning_rate_power > 0)
    form.fault = invalid_argument("learning_rate_power needs to be <= 0");
  for (auto strength : {o.l1_regularization_strength, o.l2_regularization_strength, shrinkage})
    if (strength < 0) form.fault = invalid_argument("regularization strengths need to be >= 0");
  return form;
}

}  // namespace

std::unique_ptr<UpdateRule> make_update_rule(const Optimizer& optimizer) {
  auto form = std::visit([](const auto& options) { return form_of(options); }, optimizer);
  if (form.name.empty()) form.fault = invalid_argument("an optimizer needs a name");
  if (std::holds_alternative<Adam>(optimizer)) return std::make_unique<AdamRule>(std::move(form));
  if (std::holds_alternative<GradientDescent>(optimizer))
    return std::make_unique<GradientDescentRule>(std::move(form));
  return std::make_unique<UpdateRule>(std::move(form));
}

}  // namespace troupe
