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

}  // namespace

// Each takes the result y of a function and the gradient dy that arrived at it.
void add_math_gradient_kernels(KernelCatalog& catalog) {
  auto tanh = [](auto y, auto dy) { return dy * (decltype(y)(1) - y * y); };
  auto sigmoid = [](auto y, auto dy) { return dy * y * (decltype(y)(1) - y); };
  auto sqrt = [](auto y, auto dy) { return dy * decltype(y)(0.5) / conj(y); };
  auto rsqrt = [](auto y, auto dy) {
    auto conjugate = conj(y);
    return dy * decltype(y)(-0.5) * conjugate * conjugate * conjugate;
  };
  catalog.add("TanhGrad", pairwise<Differentiable>(tanh));
  catalog.add("SigmoidGrad", pairwise<Differentiable>(sigmoid));
  catalog.add("SqrtGrad", pairwise<Differentiable>(sqrt));
  catalog.add("RsqrtGrad", pairwise<Differentiable>(rsqrt));
}

}  // namespace troupe::cpu
