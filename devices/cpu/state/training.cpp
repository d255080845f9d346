#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

/// A hyperparameter of a training step: the scalar that is that input.
template <class T>
Promoted<T> scalar(const Launch& launch, int index) {
  return promote(launch.input(index).value<T>());
}

Status check_scalars(const Launch& launch, std::initializer_list<int> indices) {
  for (auto index : indices)
    if (!launch.input(index).shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(index) + " must be a scalar, but is " +
          launch.input(index).shape().to_string());
  return {};
}

/// The old and the new elements of one variable under update.
template <class T>
struct Slot {
  const T* old;
  T* fresh;
};

/// Calls step(slots, gradient, begin, end) for ranges of the elements of the variables of the first
/// N inputs, while nothing else updates them. On an error, no variable is changed.
template <size_t N, class T, class F>
Status train(Launch& launch, const Tensor& gradient, const F& step) {
  return update_variables<N>(launch, [&](const std::array<Tensor*, N>& values) -> Status {
    std::array<Tensor, N> updated;
    std::array<Slot<T>, N> slots;
    for (size_t i = 0; i < N; ++i) {
      const Tensor& value = *values[i];
      auto status = check_fits(gradient.dtype(), gradient.shape(), value.dtype(), value.shape());
      if (!status.ok()) return status;
      auto memory = allocate_update(launch, value);
      if (!memory) return memory.status();
      updated[i] = *std::move(memory);
      slots[i] = {value.data<T>(), updated[i].template mutable_data<T>()};
    }
    parallel_ranges(gradient.elements(), N, [&](int64_t begin, int64_t end) {
      step(slots, gradient.data<T>(), begin, end);
    });
    for (size_t i = 0; i < N; ++i) *values[i] = std::move(updated[i]);
    return {};
  });
}

template <class T>
Status gradient_descent(Launch& launch) {
  auto status = check_scalars(launch, {1});
  if (!status.ok()) return status;
  constexpr auto descend = [](auto value, auto rate, auto slope) { return value - rate * slope; };
  Repeated<Promoted<T>> rate{scalar<T>(launch, 1)};
  return train<1, T>(
      launch, launch.input(2), [&](const auto& slots, const T* delta, int64_t at, int64_t end) {
        apply<decltype(descend)>(
            slots[0].fresh + at, end - at, slots[0].old + at, rate, delta + at);
      });
}

template <class T>
Status momentum(Launch& launch, bool use_nesterov) {
  auto status = check_scalars(launch, {2, 4});
  if (!status.ok()) return status;
  auto rate = scalar<T>(launch, 2), momentum = scalar<T>(launch, 4);
  return train<2, T>(
      launch, launch.input(3), [&](const auto& slots, const T* gradient, int64_t at, int64_t end) {
        auto [value, sum] = slots;
#pragma GCC ivdep
        for (auto i = at; i < end; ++i) {
          auto slope = promote(gradient[i]);
          auto total = promote(sum.old[i]) * momentum + slope;
          auto step = use_nesterov ? slope * rate + total * momentum * rate : total * rate;
          sum.fresh[i] = static_cast<T>(total);
          value.fresh[i] = static_cast<T>(promote(value.old[i]) - step);
        }
      });
}

template <class T>
Status adam(Launch& launch, bool use_nesterov) {
  auto status = check_scalars(launch, {3, 4, 5, 6, 7, 8});
  if (!status.ok()) return status;
  using A = Promoted<T>;
  auto beta1 = scalar<T>(launch, 6), beta2 = scalar<T>(launch, 7), epsilon = scalar<T>(launch, 8);
  auto rate =
      scalar<T>(launch, 5) * std::sqrt(A(1) - scalar<T>(launch, 4)) / (A(1) - scalar<T>(launch, 3));
  return train<3, T>(
      launch, launch.input(9), [&](const auto& slots, const T* gradient, int64_t at, int64_t end) {
        auto [value, mean, variance] = slots;
#pragma GCC ivdep
        for (auto i = at; i < end; ++i) {
          auto slope = promote(gradient[i]);
          auto m = promote(mean.old[i]), v = promote(variance.old[i]);
          m += (slope - m) * (A(1) - beta1);
          v += (slope * slope - v) * (A(1) - beta2);
          auto direction = use_nesterov ? slope * (A(1) - beta1) + beta1 * m : m;
          mean.fresh[i] = static_cast<T>(m);
          variance.fresh[i] = static_cast<T>(v);
          value.fresh[i] =
              static_cast<T>(promote(value.old[i]) - direction * rate / (std::sqrt(v) + epsilon));
        }
      });
}

Result<Kernel> make_gradient_descent(const Node& node) {
  return dispatch(Differentiable{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = gradient_descent<decltype(zero)>};
  });
}

Result<Kernel> make_momentum(const Node& node) {
  auto use_nesterov = node.attr<bool>("use_nesterov");
  return dispatch(Floating{}, node.attr<DType>("T"), [use_nesterov](auto zero) {
    return Kernel{.compute = [use_nesterov](Launch& launch) {
      return momentum<decltype(zero)>(launch, use_nesterov);
    }};
  });
}

Result<Kernel> make_adam(const Node& node) {
  auto use_nesterov = node.attr<bool>("use_nesterov");
  return dispatch(Floating{}, node.attr<DType>("T"), [use_nesterov](auto zero) {
    return Kernel{.compute = [use_nesterov](Launch& launch) {
      return adam<decltype(zero)>(launch, use_nesterov);
    }};
  });
}

}  // namespace

void add_training_kernels(KernelCatalog& catalog) {
  catalog.add("ResourceApplyGradientDescent", make_gradient_descent);
  catalog.add("ResourceApplyMomentum", make_momentum);
  catalog.add("ResourceApplyAdam", make_adam);
}

}  // namespace troupe::cpu
