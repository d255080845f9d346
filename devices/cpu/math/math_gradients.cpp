#include <complex>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/math.hpp"

namespace troupe::cpu {
namespace {

template <class T>
T conj(T value) {
  if constexpr (is_complex<T>) return std::conj(value);
  else return value;
}

/// 0 where no gradient dy has arrived, also where the derivative that `f` multiplies is infinite,
/// as that of sqrt at 0: a result that is not used must not make a NaN of what it was computed
/// from.
template <class T, class F>
T gradient_or_zero(T dy, F f) {
  return dy == T{} ? T{} : f();
}

}  // namespace

// Each takes the result y of a function and the gradient dy that arrived at it.
void add_math_gradient_kernels(KernelCatalog& catalog) {
  auto tanh = [](auto y, auto dy) { return dy * (decltype(y)(1) - y * y); };
  auto sigmoid = [](auto y, auto dy) { return dy * y * (decltype(y)(1) - y); };
  auto sqrt = [](auto y, auto dy) {
    return gradient_or_zero(dy, [=] { return dy * decltype(y)(0.5) / conj(y); });
  };
  auto rsqrt = [](auto y, auto dy) {
    return gradient_or_zero(dy, [=, y = conj(y)] { return dy * decltype(y)(-0.5) * y * y * y; });
  };
  auto inverse = [](auto y, auto dy) {
    return gradient_or_zero(dy, [=] { return -dy * conj(y) * conj(y); });
  };
  catalog.add("TanhGrad", pairwise<Differentiable>(tanh));
  catalog.add("SigmoidGrad", pairwise<Differentiable>(sigmoid));
  catalog.add("SqrtGrad", pairwise<Differentiable>(sqrt));
  catalog.add("RsqrtGrad", pairwise<Differentiable>(rsqrt));
  for (auto name : {"InvGrad", "ReciprocalGrad"})
    catalog.add(name, pairwise<Differentiable>(inverse));
}

}  // namespace troupe::cpu
