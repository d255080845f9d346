#pragma once

#include <array>
#include <cstdint>

#include "troupe/devices/cpu/state/training_inputs.hpp"

namespace troupe::cpu {

/// The elements of the variables before and after an update, which may be the same memory, and of
/// the gradient.
struct TrainingMemory {
  static constexpr size_t most = TrainingInputs::variables_max;
  std::array<const std::byte*, most> old{};
  std::array<std::byte*, most> fresh{};
  const std::byte* gradient = nullptr;
};

/// How the elements of the variables follow from those before and the gradient.
struct TrainingRule {
  void (*loop)(const TrainingScalars&, const TrainingMemory&, int64_t count) = nullptr;
};

/// A rule is a class template of what it computes with: made of the scalars, it is called with the
/// elements of the `variables`, which it changes, and the gradient.
template <template <class> class Rule, class T, size_t... I>
void train_elements(
    const TrainingScalars& scalars, const TrainingMemory& memory, int64_t count,
    std::index_sequence<I...>) {
  using A = Promoted<T>;
  const Rule<A> rule(scalars);
  const std::array<const T*, sizeof...(I)> old = {reinterpret_cast<const T*>(memory.old[I])...};
  const std::array<T*, sizeof...(I)> fresh = {reinterpret_cast<T*>(memory.fresh[I])...};
  const auto* gradient = reinterpret_cast<const T*>(memory.gradient);
// Old and fresh memory may be the same, but then element i lies where element i is written.
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    std::array<A, sizeof...(I)> elements = {static_cast<A>(old[I][i])...};
    rule(elements, static_cast<A>(gradient[i]));
    ((fresh[I][i] = static_cast<T>(elements[I])), ...);
  }
}

template <template <class> class Rule, class T>
void train_loop(const TrainingScalars& scalars, const TrainingMemory& memory, int64_t count) {
  train_elements<Rule, T>(
      scalars, memory, count, std::make_index_sequence<Rule<Promoted<T>>::variables>());
}

/// The rule for elements of a dtype, without a loop where it has none.
template <template <class> class Rule, class Allowed = Floating>
TrainingRule training_rule(DType dtype) {
  TrainingRule rule;
  for_dtype(Allowed{}, dtype, [&](auto zero) { rule.loop = train_loop<Rule, decltype(zero)>; });
  return rule;
}

/// Adds the kernel of an op of that rule, for a dense gradient or one of some rows: the op's
/// declaration says which. `flag`: the attribute that is the scalars' flag, or "".
void add_training_kernel(
    KernelCatalog& catalog, const std::string& op, TrainingRule (*rule)(DType),
    const char* flag = "");

// The kernels of training ops, by file.
void add_descent_kernels(KernelCatalog& catalog);
void add_squared_sum_kernels(KernelCatalog& catalog);
void add_adam_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
