#include "troupe/graph/build/optimizers/synchronous.hpp"

#include <algorithm>
#include <string>

#include "troupe/graph/build/optimizers/colocation.hpp"

namespace troupe {
namespace {

const char* scope_name = "sync_replicas";

Status check(const SynchronousOptions& options) {
  if (!options.global_step.handle.is_valid() || options.global_step.dtype != DType::int64)
    return invalid_argument("a synchronous training needs a global step, an int64");
  if (options.replicas_to_aggregate < 1)
    return invalid_argument("an update must take at least one gradient");
  if (options.total_replicas < 0 || options.replica < 0)
    return invalid_argument("a number of replicas is not negative");
  return {};
}

/// Adds the accumulators, one beside each variable.
class Accumulators {
 public:
  Accumulators(const Builder& builder, const SynchronousOptions& options, Value local_step)
      : builder_(builder), options_(options), local_step_(std::move(local_step)) {}

  /// Hands the gradient in, and returns what an update takes.
  GradientAndVariable add(const GradientAndVariable& pair) {
    const auto& [gradient, variable] = pair;
    if (!gradient.is_valid()) return pair;
    auto b = colocate_with(variable, builder_);
    GradientAndVariable taken{.gradient = {}, .variable = variable};
    if (gradient.rows) taken.gradient.rows = add_rows(b, *gradient.rows, variable);
    else taken.gradient.tensor = add_tensor(b, gradient.tensor, variable);
    return taken;
  }

  const Values& applied() const { return applied_; }
  const Values& steps_set() const { return steps_set_; }

 private:
  static Attrs attrs_of(const Variable& variable, const Shape& shape) {
    return {
        {"dtype", variable.dtype},
        {"shape", shape},
        {"shared_name", variable.name + "/grad_accum"}};
  }

  Value required(const Builder& b) const {
    return b.constant<int32_t>(options_.replicas_to_aggregate);
  }
  Value global_step(const Builder& b) const { return read_variable(b, options_.global_step); }

  Value add_tensor(const Builder& b, const Value& gradient, const Variable& variable) {
    auto sum = b.op("ResourceConditionalAccumulator", {}, attrs_of(variable, variable.shape));
    applied_.push_back(b.op("ResourceAccumulatorApplyGradient", {sum, local_step_, gradient}));
    steps_set_.push_back(b.op("ResourceAccumulatorSetGlobalStep", {sum, global_step(b)}));
    return b.op("ResourceAccumulatorTakeGradient", {sum, required(b)}, {{"dtype", variable.dtype}});
  }

  IndexedSlices add_rows(const Builder& b, const IndexedSlices& rows, const Variable& variable) {
    auto sum = b.op("SparseConditionalAccumulator", {}, attrs_of(variable, Shape::unknown_rank()));
    auto int64 = [&](const Value& value) { return b.cast(value, DType::int64); };
    applied_.push_back(b.op(
        "SparseAccumulatorApplyGradient",
        {sum, local_step_, int64(rows.indices), rows.values, int64(rows.dense_shape)},
        {{"has_known_shape", true}}));
    steps_set_.push_back(b.op("AccumulatorSetGlobalStep", {sum, global_step(b)}));
    auto taken =
        b.op("SparseAccumulatorTakeGradient", {sum, required(b)}, {{"dtype", variable.dtype}});
    return {.values = taken.output(1), .indices = taken.output(0), .dense_shape = taken.output(2)};
  }

  const Builder builder_;
  const SynchronousOptions& options_;
  const Value local_step_;
  Values applied_, steps_set_;
};

/// Puts so many tokens, which are the global step, into their queue.
Value hand_out(const Builder& b, const Value& tokens, const Variable& global_step, int count) {
  auto steps = b.fill(b.ints({count}), read_variable(b, global_step));
  return b.op("QueueEnqueueManyV2", {tokens, steps});
}

}  // namespace

SynchronousTraining minimize_synchronously(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    const SynchronousOptions& options) {
  if (auto status = check(options); !status.ok()) {
    builder.fail(std::move(status));
    return {};
  }
  auto pairs = compute_gradients(builder, loss, options.var_list, options.grad_loss);
  if (pairs.empty()) return {};
  const auto& global_step = options.global_step;
  auto local_step = builder.variable(
      "sync_rep_local_step_" + std::to_string(options.replica),
      builder.constant(Tensor::scalar<int64_t>(0)));
  auto scope = builder.scope(scope_name);
  Accumulators accumulators(scope, options, local_step.value());
  for (auto& pair : pairs) pair = accumulators.add(pair);

  auto b = colocate_with(global_step, scope);
  auto tokens = b.op(
      "FIFOQueueV2", {},
      {{"component_types", DTypes{DType::int64}},
       {"shapes", Shapes{Shape()}},
       {"capacity", int64_t{-1}},
       {"shared_name", "sync_token_q"}});
  auto token = b.after(accumulators.applied())
                   .op("QueueDequeueV2", {tokens}, {{"component_types", DTypes{DType::int64}}});
  auto updated = apply_gradients(builder, optimizer, pairs, global_step);
  if (!updated.is_valid()) return {};
  auto count = std::max(options.total_replicas, options.replicas_to_aggregate);
  auto begin = local_step.assign(read_variable(b, global_step));
  auto first = accumulators.steps_set();
  first.push_back(begin);
  return {
      .train = local_step.assign(token),
      .update = hand_out(b.after({updated}), tokens, global_step, count),
      .begin = begin,
      .begin_chief = hand_out(b.after(first), tokens, global_step, options.replicas_to_aggregate)};
}

}  // namespace troupe
