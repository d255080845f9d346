#include "troupe/devices/cpu/state/training.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/state/row_indices.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

struct TrainingOp {
  TrainingInputs inputs;
  TrainingRule rule;
  TrainingCheck check;
  bool flag = false;
};

/// The new values of variables under update.
using FreshValues = std::array<Tensor, TrainingMemory::most>;

/// The memory at element `at` of the variables and `gradient_at` of the gradient.
TrainingMemory move_by(TrainingMemory memory, int64_t at, int64_t gradient_at, int64_t size) {
  for (auto& old : memory.old) old += old ? at * size : 0;
  for (auto& fresh : memory.fresh) fresh += fresh ? at * size : 0;
  memory.gradient += gradient_at * size;
  return memory;
}

Status train_all(
    Launch& launch, const TrainingOp& op, const TrainingScalars& scalars,
    std::span<Tensor* const> values) {
  const auto& gradient = launch.input(op.inputs.gradient);
  FreshValues fresh;
  TrainingMemory memory{.gradient = static_cast<const std::byte*>(gradient.raw())};
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor& value = *values[i];
    auto updated = allocate_update(launch, value);
    if (!updated) return updated.status();
    fresh[i] = *std::move(updated);
    memory.old[i] = static_cast<const std::byte*>(value.raw());
    memory.fresh[i] = static_cast<std::byte*>(fresh[i].mutable_raw());
  }
  auto size = static_cast<int64_t>(size_of(gradient.dtype()));
  auto each = static_cast<int64_t>(values.size());
  parallel_ranges(gradient.elements(), each, [&](int64_t begin, int64_t end) {
    op.rule.loop(scalars, move_by(memory, begin, begin, size), end - begin);
  });
  for (size_t i = 0; i < values.size(); ++i) *values[i] = std::move(fresh[i]);
  return {};
}

Status train_rows(
    Launch& launch, const TrainingOp& op, const TrainingScalars& scalars,
    std::span<Tensor* const> values) {
  const auto &gradient = launch.input(op.inputs.gradient),
             &indices = launch.input(op.inputs.indices);
  auto rows = choose_rows(indices, values[0]->shape());
  if (!rows) return rows.status();
  if (gradient.elements() == 0) return {};
  FreshValues fresh;
  TrainingMemory memory{.gradient = static_cast<const std::byte*>(gradient.raw())};
  for (size_t i = 0; i < values.size(); ++i) {
    auto updated = copy_for_update(launch, *values[i]);
    if (!updated) return updated.status();
    fresh[i] = *std::move(updated);
    memory.fresh[i] = static_cast<std::byte*>(fresh[i].mutable_raw());
    memory.old[i] = memory.fresh[i];
  }
  auto size = static_cast<int64_t>(size_of(gradient.dtype()));
  change_rows(*rows, [&](int64_t i) {
    auto at = rows->chosen[static_cast<size_t>(i)] * rows->size;
    op.rule.loop(scalars, move_by(memory, at, i * rows->size, size), rows->size);
  });
  for (size_t i = 0; i < values.size(); ++i) *values[i] = std::move(fresh[i]);
  return {};
}

template <size_t N>
Status train_variables(Launch& launch, const TrainingOp& op, const TrainingScalars& scalars) {
  return update_variables<N>(launch, [&](const std::array<Tensor*, N>& values) {
    if (auto status = op.inputs.check_shapes(launch, values); !status.ok()) return status;
    return op.inputs.indices < 0 ? train_all(launch, op, scalars, values)
                                 : train_rows(launch, op, scalars, values);
  });
}

Status train(Launch& launch, const TrainingOp& op) {
  auto scalars = op.inputs.read_scalars(launch, op.flag, op.check);
  if (!scalars) return scalars.status();
  switch (op.inputs.variables) {
    case 1: return train_variables<1>(launch, op, *scalars);
    case 2: return train_variables<2>(launch, op, *scalars);
    case 3: return train_variables<3>(launch, op, *scalars);
    default: return train_variables<4>(launch, op, *scalars);
  }
}

}  // namespace

void add_training_kernel(
    KernelCatalog& catalog, const std::string& op, TrainingRule (*rule)(DType), const char* flag) {
  catalog.add(op, [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    TrainingOp made{
        .inputs = TrainingInputs(*node.op), .rule = rule(dtype), .check = find_training_check(op)};
    if (!made.rule.loop) return no_kernel(dtype);
    made.flag = *flag && node.attr<bool>(flag);
    return Kernel{.compute = [made](Launch& launch) { return train(launch, made); }};
  });
}

void add_training_kernels(KernelCatalog& catalog) {
  add_descent_kernels(catalog);
  add_squared_sum_kernels(catalog);
  add_adam_kernels(catalog);
}

}  // namespace troupe::cpu
