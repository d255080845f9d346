#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The gradient must have the variable's shape, and what follows the handles must be scalars.
Op::InferShape applies(int handle_count, int gradient_index) {
  return [=](ShapeInference& s) {
    for (int i = handle_count; i < s.input_count(); ++i) {
      if (i == gradient_index) continue;
      if (auto status = s.need_rank(i, 0); !status.ok()) return status;
    }
    auto shape = s.handle_shape().merge(s.input(gradient_index));
    if (!shape)
      return invalid_argument(
          "the variable has shape " + s.handle_shape().to_string() + ", but its gradient " +
          s.input(gradient_index).to_string());
    return s.check_handle_dtype(s.attr<DType>("T"));
  };
}

}  // namespace

// Each update is atomic among the updates of its variables, so `use_locking` has no further effect.
void add_training_ops(OpCatalog& catalog) {
  catalog.add(Op("ResourceApplyGradientDescent")
      .doc("var -= alpha * delta")
      .input("var", DType::resource)
      .input("alpha", "T")
      .input("delta", "T")
      .attr("T", numeric())
      .attr("use_locking", false)
      .infer_shape(applies(/*handle_count=*/1, /*gradient_index=*/2))
      .stateful());
  catalog.add(Op("ResourceApplyMomentum")
      .doc("accum = accum * momentum + grad; var -= lr * accum, or with Nesterov's momentum "
           "var -= lr * (grad + momentum * accum).")
      .input("var", DType::resource)
      .input("accum", DType::resource)
      .input("lr", "T")
      .input("grad", "T")
      .input("momentum", "T")
      .attr("T", numeric())
      .attr("use_locking", false)
      .attr("use_nesterov", false)
      .infer_shape(applies(/*handle_count=*/2, /*gradient_index=*/3))
      .stateful());
  catalog.add(Op("ResourceApplyAdam")
      .doc("m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); "
           "var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon), where "
           "with Nesterov's momentum (1 - beta1) * grad + beta1 * m stands for m.")
      .input("var", DType::resource)
      .input("m", DType::resource)
      .input("v", DType::resource)
      .input("beta1_power", "T")
      .input("beta2_power", "T")
      .input("lr", "T")
      .input("beta1", "T")
      .input("beta2", "T")
      .input("epsilon", "T")
      .input("grad", "T")
      .attr("T", numeric())
      .attr("use_locking", false)
      .attr("use_nesterov", false)
      .infer_shape(applies(/*handle_count=*/3, /*gradient_index=*/9))
      .stateful());
}

}  // namespace troupe
