#include "troupe/devices/cuda/state/training.hpp"

#include <array>
#include <span>

#include "troupe/devices/cpu/state/training_inputs.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

struct TrainingOp {
  cpu::TrainingInputs inputs;
  LaunchTraining function;
  cpu::TrainingCheck check;
  bool flag = false;
};

/// Scalars stay on the card, where the kernel reads them, unless they are to be checked.
Status set_scalars(const Launch& launch, const TrainingOp& op, TrainingCall& call) {
  call.scalar_count = static_cast<int>(op.inputs.scalars.size());
  if (op.check) {
    auto scalars = op.inputs.read_scalars(launch, op.flag, op.check);
    if (!scalars) return scalars.status();
    for (size_t i = 0; i < op.inputs.scalars.size(); ++i) call.values[i] = scalars->real(i);
    return {};
  }
  if (auto status = op.inputs.check_scalars(launch); !status.ok()) return status;
  for (size_t i = 0; i < op.inputs.scalars.size(); ++i) {
    const auto& input = launch.input(op.inputs.scalars[i]);
    call.is_long[i] = input.dtype() == DType::int64;
    call.scalars[i] = input.raw();
  }
  return {};
}

Status train(Launch& launch, const TrainingOp& op, std::span<Tensor* const> values) {
  if (auto status = op.inputs.check_shapes(launch, values); !status.ok()) return status;
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
  SortedNumbers sorted;
  if (op.inputs.indices >= 0) {
    const auto& indices = launch.input(op.inputs.indices);
    call.indices = indices.raw();
    call.has_long_indices = indices.dtype() == DType::int64;
    call.index_count = indices.elements();
    call.rows = values[0]->shape()[0];
    call.row_size = call.count / call.index_count;
    if (call.index_count > unsorted_indices_max) {
      auto found = sort_numbers(launch, indices);
      if (!found) return found.status();
      sorted = *std::move(found);
      call.indices = sorted.numbers.raw();
      call.places = static_cast<const int32_t*>(sorted.places.raw());
    }
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
    TrainingOp made{
        .inputs = cpu::TrainingInputs(*node.op),
        .function = find_training(rule, element_of(dtype)),
        .check = cpu::find_training_check(prefix + rule)};
    if (!made.function) return no_kernel(dtype);
    made.flag = !flag.empty() && node.attr<bool>(flag.c_str());
    return Kernel{.compute = [made](Launch& launch) { return compute_training(launch, made); }};
  });
}

}  // namespace

void add_training_kernels(KernelCatalog& catalog) {
  const std::string dense = "ResourceApply", sparse = "ResourceSparseApply";
  for (const auto* rule : {"GradientDescent", "AddSign", "PowerSign", "AdamWithAmsgrad", "AdaMax"})
    add_training(catalog, dense, rule, "");
  add_training(catalog, dense, "Adam", "use_nesterov");
  for (const auto& prefix : {dense, sparse}) {
    for (const auto* rule : {"Momentum", "KerasMomentum"})
      add_training(catalog, prefix, rule, "use_nesterov");
    for (const auto* rule : {"Adagrad", "AdagradV2"})
      add_training(catalog, prefix, rule, "update_slots");
    for (const auto* rule :
         {"ProximalGradientDescent", "ProximalAdagrad", "AdagradDA", "Adadelta", "RMSProp",
          "CenteredRMSProp", "Ftrl", "FtrlV2"})
      add_training(catalog, prefix, rule, "");
  }
}

}  // namespace troupe::cuda
