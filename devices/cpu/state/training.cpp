#include "troupe/devices/cpu/state/training.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/state/row_indices.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
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
    CHECK(gradient > 0 && scalars.size() <= TrainingScalars::most);
    CHECK(variables <= static_cast<int>(TrainingMemory::most));
  }
};

struct TrainingOp {
  TrainingInputs inputs;
  TrainingRule rule;
  bool flag = false;
};

Result<TrainingScalars> read_scalars(const Launch& launch, const TrainingOp& op) {
  TrainingScalars scalars{.values = {}, .flag = op.flag};
  for (size_t i = 0; i < op.inputs.scalars.size(); ++i) {
    const auto& input = launch.input(op.inputs.scalars[i]);
    if (!input.shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(op.inputs.scalars[i]) + " must be a scalar, but is " +
          input.shape().to_string());
    for_dtype(Differentiable{} + Types<int64_t>{}, input.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex<T>) scalars.values[i] = static_cast<complex128>(input.value<T>());
      else scalars.values[i] = static_cast<double>(input.value<T>());
    });
  }
  auto status = op.rule.check ? op.rule.check(scalars) : Status();
  if (!status.ok()) return status;
  return scalars;
}

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
    auto status = check_fits(gradient.dtype(), gradient.shape(), value.dtype(), value.shape());
    if (!status.ok()) return status;
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

/// Fails unless all variables have one shape, and the gradient a row of it for each index.
Status check_sparse(
    const Tensor& gradient, const Tensor& indices, std::span<Tensor* const> values) {
  const auto& shape = values[0]->shape();
  if (shape.is_scalar()) return invalid_argument("the variable is a scalar, which has no rows");
  if (indices.shape().rank() != 1)
    return invalid_argument("indices must be a vector, but are " + indices.shape().to_string());
  auto expected = shape;
  expected.set(0, indices.elements());
  if (gradient.shape() != expected)
    return invalid_argument(
        "grad must have the shape " + expected.to_string() + ", but has " +
        gradient.shape().to_string());
  for (const auto* value : values) {
    auto status = check_fits(gradient.dtype(), shape, value->dtype(), value->shape());
    if (!status.ok()) return status;
  }
  return {};
}

Status train_rows(
    Launch& launch, const TrainingOp& op, const TrainingScalars& scalars,
    std::span<Tensor* const> values) {
  const auto &gradient = launch.input(op.inputs.gradient),
             &indices = launch.input(op.inputs.indices);
  auto status = check_sparse(gradient, indices, values);
  if (!status.ok()) return status;
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
    return op.inputs.indices < 0 ? train_all(launch, op, scalars, values)
                                 : train_rows(launch, op, scalars, values);
  });
}

Status train(Launch& launch, const TrainingOp& op) {
  auto scalars = read_scalars(launch, op);
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
    KernelCatalog& catalog, const std::string& op, TrainingRule (*rule)(DType), const char* flag,
    Status (*check)(const TrainingScalars&)) {
  catalog.add(op, [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    TrainingOp made{.inputs = TrainingInputs(*node.op), .rule = rule(dtype)};
    if (!made.rule.loop) return no_kernel(dtype);
    made.rule.check = check;
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
