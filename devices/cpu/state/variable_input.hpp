#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/resources/variable.hpp"

namespace troupe::cpu {

/// The variable whose handle is that input.
Result<VariableResource*> variable_input(const Launch& launch, int index);

/// Why that variable has no value: none was assigned yet, or its container was reset.
Status no_value(const Launch& launch, int index);

/// Memory for the new value of a variable under update: that of the old value if no reader holds
/// it, else new memory.
Result<Tensor> allocate_update(const Launch& launch, const Tensor& value);

/// As allocate_update(), with the elements of the old value: for an update that changes some.
Result<Tensor> copy_for_update(const Launch& launch, const Tensor& value);

/// Fails unless a value of that dtype and shape fits the variable's `expected` ones.
Status check_fits(DType dtype, const Shape& shape, DType expected, const Shape& expected_shape);

/// Updates the variables of the first N inputs: calls update(values), where values[i] is the
/// Tensor* of input i, while no other update of any of them runs. All must have values. Each
/// changes at once, and none before the call returns.
template <size_t N, class F>
Status update_variables(const Launch& launch, const F& update) {
  std::array<VariableResource*, N> variables;
  std::array<size_t, N> order;
  for (size_t i = 0; i < N; ++i) {
    auto variable = variable_input(launch, static_cast<int>(i));
    if (!variable) return variable.status();
    if (std::find(variables.begin(), variables.begin() + i, *variable) != variables.begin() + i)
      return invalid_argument("one variable cannot stand for two inputs of this op");
    variables[i] = *variable;
  }
  // In address order, so that updates cannot deadlock.
  std::iota(order.begin(), order.end(), 0);
  if constexpr (N > 1)
    std::ranges::sort(order, std::less<>(), [&](size_t i) { return variables[i]; });
  std::array<std::optional<VariableUpdate>, N> updates;
  std::array<Tensor*, N> values;
  for (auto input : order) {
    values[input] = &updates[input].emplace(*variables[input]).value();
    if (!values[input]->is_set()) return no_value(launch, static_cast<int>(input));
  }
  auto status = update(values);
  for (size_t i = 0; i < N && status.ok(); ++i) note_change(launch, static_cast<int>(i));
  return status;
}

}  // namespace troupe::cpu
