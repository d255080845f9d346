#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of add_boosted_trees_kernels().
void add_boosted_trees_prediction_kernels(KernelCatalog& catalog);
void add_boosted_trees_training_kernels(KernelCatalog& catalog);
void add_boosted_trees_stats_kernels(KernelCatalog& catalog);
void add_boosted_trees_split_kernels(KernelCatalog& catalog);
void add_boosted_trees_quantile_kernels(KernelCatalog& catalog);

// Inputs with the shapes that they must have: InvalidArgument calls them by their names.
Status need_rank(const Tensor& input, int rank, const std::string& name);
template <class T>
Result<T> scalar_value(const Tensor& input, const std::string& name) {
  auto status = need_rank(input, 0, name);
  if (!status.ok()) return status;
  return input.value<T>();
}
/// The values of a vector, or of a matrix.
template <class T>
Result<std::span<const T>> values_of(const Tensor& input, int rank, const std::string& name) {
  auto status = need_rank(input, rank, name);
  if (!status.ok()) return status;
  return input.values<T>();
}

/// Sets an output to a tensor of such values.
template <class T>
Status set_values(Launch& launch, int output, const Shape& shape, const std::vector<T>& values) {
  auto tensor = launch.allocate(dtype_of<T>(), shape);
  if (!tensor) return tensor.status();
  std::copy(values.begin(), values.end(), tensor->template mutable_data<T>());
  launch.set(output, *std::move(tensor));
  return {};
}
template <class T>
Status set_values(Launch& launch, int output, const std::vector<T>& values) {
  return set_values(launch, output, Shape{static_cast<int64_t>(values.size())}, values);
}
template <class T>
Status set_scalar(Launch& launch, int output, T value) {
  auto tensor = launch.allocate(dtype_of<T>(), {});
  if (!tensor) return tensor.status();
  *tensor->template mutable_data<T>() = std::move(value);
  launch.set(output, *std::move(tensor));
  return {};
}

}  // namespace troupe::cpu
