#include "troupe/devices/cpu/state/training_inputs.hpp"

#include <string>

#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

Status check_range(const TrainingScalars& scalars, size_t index, const char* name, bool fits) {
  if (fits) return {};
  return invalid_argument(std::string(name) + ", but is " + std::to_string(scalars.real(index)));
}

/// Of scalars that begin with a rate, l1 and l2.
Status check_rate(const TrainingScalars& s) {
  auto status = check_range(s, 0, "lr must be positive", s.real(0) > 0);
  if (status.ok()) status = check_range(s, 1, "l1 must not be negative", s.real(1) >= 0);
  return status.ok() ? check_range(s, 2, "l2 must not be negative", s.real(2) >= 0) : status;
}

Status check_ftrl(const TrainingScalars& s) {
  auto status = check_rate(s);
  return status.ok() ? check_range(s, 3, "lr_power must not be positive", s.real(3) <= 0) : status;
}

Status check_ftrl_v2(const TrainingScalars& s) {
  auto status = check_rate(s);
  if (status.ok()) status = check_range(s, 3, "l2_shrinkage must not be negative", s.real(3) >= 0);
  return status.ok() ? check_range(s, 4, "lr_power must not be positive", s.real(4) <= 0) : status;
}

}  // namespace

TrainingCheck find_training_check(std::string_view op) {
  if (op.ends_with("ApplyProximalAdagrad")) return check_rate;
  if (op.ends_with("SparseApplyFtrl")) return check_ftrl;
  return op.ends_with("SparseApplyFtrlV2") ? check_ftrl_v2 : nullptr;
}

TrainingInputs::TrainingInputs(const Op& op) {
  for (int i = 0; i < static_cast<int>(op.inputs().size()); ++i) {
    const auto& input = op.inputs()[static_cast<size_t>(i)];
    if (input.dtype == DType::resource || input.is_ref) ++variables;
    else if (input.name == "grad" || input.name == "delta") gradient = i;
    else if (input.name == "indices") indices = i;
    else scalars.push_back(i);
  }
  CHECK(gradient > 0 && scalars.size() <= TrainingScalars::most);
  CHECK(variables <= variables_max);
}

Status TrainingInputs::check_scalars(const Launch& launch) const {
  for (auto index : scalars)
    if (const auto& shape = launch.input(index).shape(); !shape.is_scalar())
      return invalid_argument(
          "input " + std::to_string(index) + " must be a scalar, but is " + shape.to_string());
  return {};
}

Result<TrainingScalars> TrainingInputs::read_scalars(
    const Launch& launch, bool flag, TrainingCheck check) const {
  if (auto status = check_scalars(launch); !status.ok()) return status;
  TrainingScalars read{.values = {}, .flag = flag};
  for (size_t i = 0; i < scalars.size(); ++i) {
    const auto& input = launch.input(scalars[i]);
    for_dtype(Differentiable{} + Types<int64_t>{}, input.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex<T>) read.values[i] = static_cast<complex128>(input.value<T>());
      else read.values[i] = static_cast<double>(input.value<T>());
    });
  }
  auto status = check ? check(read) : Status();
  if (!status.ok()) return status;
  return read;
}

Status TrainingInputs::check_shapes(const Launch& launch, std::span<Tensor* const> values) const {
  const auto& grad = launch.input(gradient);
  auto expected = grad.shape();
  if (indices >= 0) {
    const auto& rows = launch.input(indices);
    expected = values[0]->shape();
    if (expected.is_scalar())
      return invalid_argument("the variable is a scalar, which has no rows");
    if (rows.shape().rank() != 1)
      return invalid_argument("indices must be a vector, but are " + rows.shape().to_string());
    auto of_rows = expected;
    of_rows.set(0, rows.elements());
    if (grad.shape() != of_rows)
      return invalid_argument(
          "grad must have the shape " + of_rows.to_string() + ", but has " +
          grad.shape().to_string());
  }
  for (const auto* value : values) {
    auto status = check_fits(grad.dtype(), expected, value->dtype(), value->shape());
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace troupe::cpu
