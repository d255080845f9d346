#include "troupe/devices/cuda/state/training.hpp"

#include <array>
#include <span>
#include <vector>

#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// What the inputs of a training op are.
struct TrainingInputs {
  int variables = 0;
  int gradient = -1;
  int indices = -1;  // the rows of the variables that the gradient's rows are for, if any
  std::vector<int> scalars;

  explicit TrainingInputs(const Op& op) {
    for (int i = 0; i < static_cast<int>(op.inputs().size()); ++i) {
      const auto& input = op.inputs()[static_cast<size_t>(i)];
      if (input.dtype == DType::resource || input.is_ref) ++variables;
      else if (input.name == "grad" || input.name == "delta") gradient = i;
      else if (input.name == "indices") indices = i;
      else scalars.push_back(i);
    }
    CHECK(gradient > 0 && scalars.size() <= TrainingCall::scalars_max);
    CHECK(variables <= TrainingCall::variables_max);
  }
};

struct TrainingOp {
  TrainingInputs inputs;
  LaunchTraining function;
  bool flag = false;
};

/// Scalars stay on the card, where the kernel reads them.
Status set_scalars(const Launch& launch, const TrainingOp& op, TrainingCall& call) {
  for (auto index : op.inputs.scalars) {
    const auto& input = launch.input(index);
    if (!input.shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(index) + " must be a scalar, but is " +
          input.shape().to_string());
    call.is_long[call.scalar_count] = input.dtype() == DType::int64;
    call.scalars[call.scalar_count++] = input.raw();
  }
  return {};
}

/// Fails unless all variables have the gradient's shape or, of rows, one shape, and the gradient a
/// row of it for each index.
Status check_shapes(const Launch& launch, const TrainingOp& op, std::span<Tensor* const> values) {
  const auto& gradient = launch.input(op.inputs.gradient);
  auto expected = gradient.shape();
  if (op.inputs.indices >= 0) {
    const auto& indices = launch.input(op.inputs.indices);
    expected = values[0]->shape();
    if (expected.is_scalar())
      return invalid_argument("the variable is a scalar, which has no rows");
    if (indices.shape().rank() != 1)
      return invalid_argument("indices must be a vector, but are " + indices.shape().to_string());
    auto rows = expected;
    rows.set(0, indices.elements());
    if (gradient.shape() != rows)
      return invalid_argument(
          "grad must have the shape " + rows.to_string() + ", but has " +
          gradient.shape().to_string());
  }
  for (const auto* value : values) {
    auto status = cpu::check_fits(gradient.dtype(), expected, value->dtype(), value->shape());
    if (!status.ok()) return status;
  }
  return {};
}

Status train(Launch& launch, const TrainingOp& op, std::span<Tensor* const> values) {
  if (auto status = check_shapes(launch, op, values); !status.ok()) return status;
  TrainingCall call{.flag = op.flag, .stream = stream_of(launch)};
  if (auto status = set_scalars(launch, op, call); !status.ok()) return status;
  const auto& gradient = launch.input(op.inputs.gradient);
  call.gradient = gradient.raw();
  call.count = gradient.elements();
  if (call.count == 0) return {};
  std::array<Tensor, TrainingCall::variables_max> fresh;
  for (size_t i = 0; i < values.size(); ++i) {
    auto updated = cpu::allocate_update(launch, *values[i]);
    if (!updated) return updated.status();
    fresh[i] = *std::move(updated);
    call.fresh[i] = fresh[i].mutable_raw();
    call.old[i] = std::as_const(*values[i]).raw();
    if (op.inputs.indices < 0) continue;
    // Rows that no index names stay what they are.
    if (auto status = copy_all(launch, fresh[i], *values[i]); !status.ok()) return status;
    call.old[i] = call.fresh[i];
  }
  if (op.inputs.indices >= 0) {
    const auto& indices = launch.input(op.inputs.indices);
    call.indices = indices.raw();
    call.has_long_indices = indices.dtype() == DType::int64;
    call.index_count = indices.elements();
    call.rows = values[0]->shape()[0];
    call.row_size = call.count / call.index_count;
  }
  op.function(call);
  auto status = launched("a training step");
  for (size_t i = 0; i < values.size() && status.ok(); ++i) *values[i] = std::move(fresh[i]);
  return status;
}

template <size_t N>
Status train_variables(Launch& launch, const TrainingOp& op) {
  return cpu::update_variables<N>(
      launch, [&](const std::array<Tensor*, N>& values) { return train(launch, op, values); });
}

Status compute_training(Launch& launch, const TrainingOp& op) {
  switch (op.inputs.variables) {
    case 1: return train_variables<1>(launch, op);
    case 2: return train_variables<2>(launch, op);
    case 3: return train_variables<3>(launch, op);
    default: return train_variables<4>(launch, op);
  }
}

void add_training(
    KernelCatalog& catalog, const std::string& prefix, const std::string& rule,
    const std::string& flag) {
  catalog.add(prefix + rule, [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    TrainingOp op{
        .inputs = TrainingInputs(*node.op), .function = find_training(rule, element_of(dtype))};
    if (!op.function) return no_kernel(dtype);
    op.flag = !flag.empty() && node.attr<bool>(flag.c_str());
    return Kernel{.compute = [op](Launch& launch) { return compute_training(launch, op); }};
  });
}

}  // namespace

void add_training_kernels(KernelCatalog& catalog) {
  const std::string dense = "ResourceApply", sparse = "ResourceSparseApply";
  for (const auto* rule :
       {"GradientDescent", "AddSign", "PowerSign", "AdamWithAmsgrad", "AdaMax", "Ftrl", "FtrlV2"})
    add_training(catalog, dense, rule, "");
  add_training(catalog, dense, "Adam", "use_nesterov");
  for (const auto& prefix : {dense, sparse}) {
    for (const auto* rule : {"Momentum", "KerasMomentum"})
      add_training(catalog, prefix, rule, "use_nesterov");
    for (const auto* rule : {"Adagrad", "AdagradV2"})
      add_training(catalog, prefix, rule, "update_slots");
    for (const auto* rule :
         {"ProximalGradientDescent", "AdagradDA", "Adadelta", "RMSProp", "CenteredRMSProp"})
      add_training(catalog, prefix, rule, "");
  }
  // Those on rows check scalars, which are not known when they are started here.
  add_training(catalog, dense, "ProximalAdagrad", "");
}

}  // namespace troupe::cuda
