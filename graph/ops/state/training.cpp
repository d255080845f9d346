#include <algorithm>
#include <cstring>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/state/state.hpp"

namespace troupe {
namespace {

/// A training algorithm: an op for a dense gradient, and often one for a gradient of some rows.
struct TrainingForm {
  const char* name;  // behind "Apply"
  const char* doc;
  std::vector<const char*> variables;
  std::vector<const char*> inputs;  // the gradient, and scalars around it
  bool has_sparse = true;
  bool has_reference = true;  // a form for references to variables
  const char* flag = "";
  bool flag_default = false;
};

/// Where the inputs of a training op are.
struct TrainingInputs {
  int variables;
  int gradient;
  int indices = -1;
};

bool is_gradient(const char* input) {
  return std::strcmp(input, "grad") == 0 || std::strcmp(input, "delta") == 0;
}

/// The shape of the gradient for a variable of that shape: a row for each index, where there are
/// indices.
Result<Shape> shape_of_gradient(const ShapeInference& s, const TrainingInputs& at) {
  auto shape = s.handle_shape();
  if (at.indices < 0) return shape;
  if (auto status = s.need_rank(at.indices, 1); !status.ok()) return status;
  if (!shape.has_rank()) return shape;
  if (shape.is_scalar()) return invalid_argument("the variable is a scalar, which has no rows");
  const auto& indices = s.input(at.indices);
  shape.set(0, indices.has_rank() ? indices[0] : Shape::unknown);
  return shape;
}

/// The gradient must have that shape, and all else that follows the handles must be scalars.
Op::InferShape applies(const TrainingInputs& at) {
  return [at](ShapeInference& s) {
    for (int i = at.variables; i < s.input_count(); ++i) {
      if (i == at.gradient || i == at.indices) continue;
      if (auto status = s.need_rank(i, 0); !status.ok()) return status;
    }
    auto shape = shape_of_gradient(s, at);
    if (!shape) return shape.status();
    const auto& gradient = s.input(at.gradient);
    if (!shape->is_compatible_with(gradient))
      return invalid_argument(
          "the variable has shape " + s.handle_shape().to_string() + ", but its gradient " +
          gradient.to_string());
    return s.check_handle_dtype(s.attr<DType>("T"));
  };
}

/// Declares the inputs; says where they are.
TrainingInputs add_inputs(Op& op, const TrainingForm& form, bool is_sparse, bool is_reference) {
  TrainingInputs at{.variables = static_cast<int>(form.variables.size()), .gradient = -1};
  for (const auto* name : form.variables)
    if (is_reference) std::move(op).ref_input(name, "T");
    else std::move(op).input(name, DType::resource);
  for (const auto* name : form.inputs) {
    if (std::strcmp(name, "global_step") == 0) {
      std::move(op).input(name, DType::int64);
      continue;
    }
    if (is_gradient(name)) at.gradient = static_cast<int>(op.inputs().size());
    std::move(op).input(is_sparse && is_gradient(name) ? "grad" : name, "T");
    if (!is_sparse || !is_gradient(name)) continue;
    at.indices = at.gradient + 1;
    std::move(op).input("indices", "Tindices");
  }
  return at;
}

Op training_op(const TrainingForm& form, bool is_sparse, bool is_reference) {
  Op op(std::string(is_reference ? "" : "Resource") + (is_sparse ? "SparseApply" : "Apply") +
        form.name);
  auto doc = std::string(form.doc);
  if (is_sparse)
    doc = "For the rows of the variables that indices name, with a row of grad each, one after the "
          "other: " + doc;
  std::move(op).doc(doc);
  auto at = add_inputs(op, form, is_sparse, is_reference);
  if (is_reference) std::move(op).ref_output("out", "T");
  std::move(op).attr("T", numeric());
  if (is_sparse) std::move(op).attr("Tindices", indexing());
  std::move(op).attr("use_locking", false);
  if (*form.flag) std::move(op).attr(form.flag, form.flag_default);
  auto infer = is_reference ? updates_reference(applies(at)) : applies(at);
  return std::move(op).infer_shape(std::move(infer)).stateful();
}

std::vector<TrainingForm> plain_forms() {
  return {
      {.name = "GradientDescent",
       .doc = "var -= alpha * delta",
       .variables = {"var"},
       .inputs = {"alpha", "delta"},
       .has_sparse = false},
      {.name = "ProximalGradientDescent",
       .doc = "p = var - alpha * gradient; var = sign(p) * max(|p| - alpha * l1, 0) / "
              "(1 + alpha * l2).",
       .variables = {"var"},
       .inputs = {"alpha", "l1", "l2", "delta"}},
      {.name = "Momentum",
       .doc = "accum = accum * momentum + grad; var -= lr * accum, or with Nesterov's momentum "
              "var -= lr * (grad + momentum * accum).",
       .variables = {"var", "accum"},
       .inputs = {"lr", "grad", "momentum"},
       .flag = "use_nesterov"},
      {.name = "KerasMomentum",
       .doc = "accum = accum * momentum - lr * grad; var += accum, or with Nesterov's momentum "
              "var += accum * momentum - lr * grad.",
       .variables = {"var", "accum"},
       .inputs = {"lr", "grad", "momentum"},
       .has_reference = false,
       .flag = "use_nesterov"},
      {.name = "AddSign",
       .doc = "m = beta * m + (1 - beta) * grad; "
              "var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad.",
       .variables = {"var", "m"},
       .inputs = {"lr", "alpha", "sign_decay", "beta", "grad"},
       .has_sparse = false},
      {.name = "PowerSign",
       .doc = "m = beta * m + (1 - beta) * grad; "
              "var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad.",
       .variables = {"var", "m"},
       .inputs = {"lr", "logbase", "sign_decay", "beta", "grad"},
       .has_sparse = false}};
}

std::vector<TrainingForm> squared_sum_forms() {
  return {
      {.name = "Adagrad",
       .doc = "accum += grad^2 (unless update_slots is false); var -= lr * grad / sqrt(accum).",
       .variables = {"var", "accum"},
       .inputs = {"lr", "grad"},
       .flag = "update_slots",
       .flag_default = true},
      {.name = "AdagradV2",
       .doc = "accum += grad^2 (unless update_slots is false); "
              "var -= lr * grad / (sqrt(accum) + epsilon).",
       .variables = {"var", "accum"},
       .inputs = {"lr", "epsilon", "grad"},
       .flag = "update_slots",
       .flag_default = true},
      {.name = "AdagradDA",
       .doc = "gradient_accumulator += grad; gradient_squared_accumulator += grad^2; "
              "g = sign(gradient_accumulator) * max(|gradient_accumulator| - l1 * global_step, 0); "
              "var = -lr * g / (l2 * lr * global_step + sqrt(gradient_squared_accumulator)).",
       .variables = {"var", "gradient_accumulator", "gradient_squared_accumulator"},
       .inputs = {"grad", "lr", "l1", "l2", "global_step"}},
      {.name = "ProximalAdagrad",
       .doc = "accum += grad^2; r = lr / sqrt(accum); p = var - r * grad; "
              "var = sign(p) * max(|p| - r * l1, 0) / (1 + r * l2).",
       .variables = {"var", "accum"},
       .inputs = {"lr", "l1", "l2", "grad"}},
      {.name = "Adadelta",
       .doc = "accum = rho * accum + (1 - rho) * grad^2; "
              "u = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * u; "
              "accum_update = rho * accum_update + (1 - rho) * u^2.",
       .variables = {"var", "accum", "accum_update"},
       .inputs = {"lr", "rho", "epsilon", "grad"}},
      {.name = "RMSProp",
       .doc = "ms = rho * ms + (1 - rho) * grad^2; "
              "mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom.",
       .variables = {"var", "ms", "mom"},
       .inputs = {"lr", "rho", "momentum", "epsilon", "grad"}},
      {.name = "CenteredRMSProp",
       .doc = "mg = rho * mg + (1 - rho) * grad; ms = rho * ms + (1 - rho) * grad^2; "
              "mom = momentum * mom + lr * grad / sqrt(ms - mg^2 + epsilon); var -= mom.",
       .variables = {"var", "mg", "ms", "mom"},
       .inputs = {"lr", "rho", "momentum", "epsilon", "grad"}},
      {.name = "Ftrl",
       .doc = "s = accum + grad^2; linear += grad - (s^-lr_power - accum^-lr_power) / lr * var; "
              "var = |linear| > l1 ? (sign(linear) * l1 - linear) / (s^-lr_power / lr + 2 * l2) : "
              "0; accum = s.",
       .variables = {"var", "accum", "linear"},
       .inputs = {"grad", "lr", "l1", "l2", "lr_power"}},
      {.name = "FtrlV2",
       .doc = "As Ftrl, where linear grows by grad + 2 * l2_shrinkage * var instead of grad.",
       .variables = {"var", "accum", "linear"},
       .inputs = {"grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"}}};
}

std::vector<TrainingForm> adam_forms() {
  return {
      {.name = "Adam",
       .doc =
           "m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); "
           "var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon), where "
           "with Nesterov's momentum (1 - beta1) * grad + beta1 * m stands for m.",
       .variables = {"var", "m", "v"},
       .inputs = {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       .has_sparse = false,
       .flag = "use_nesterov"},
      {.name = "AdaMax",
       .doc = "m += (1 - beta1) * (grad - m); v = max(beta2 * v, |grad|); "
              "var -= lr / (1 - beta1_power) * m / (v + epsilon).",
       .variables = {"var", "m", "v"},
       .inputs = {"beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       .has_sparse = false},
      {.name = "AdamWithAmsgrad",
       .doc = "m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); "
              "vhat = max(vhat, v); var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / "
              "(sqrt(vhat) + epsilon).",
       .variables = {"var", "m", "v", "vhat"},
       .inputs = {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       .has_sparse = false,
       .has_reference = false}};
}

}  // namespace

// Each update is atomic among the updates of its variables, so `use_locking` has no further effect.
void add_training_ops(OpCatalog& catalog) {
  for (auto forms : {plain_forms, squared_sum_forms, adam_forms})
    for (const auto& form : forms()) {
      for (bool is_sparse : {false, true}) {
        if (is_sparse && !form.has_sparse) continue;
        catalog.add(training_op(form, is_sparse, /*is_reference=*/false));
        if (form.has_reference) catalog.add(training_op(form, is_sparse, /*is_reference=*/true));
      }
    }
}

}  // namespace troupe
