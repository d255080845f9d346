#include <cmath>
#include <complex>

#include "troupe/devices/cpu/math/array_function.hpp"
#include "troupe/devices/cpu/math/math.hpp"

namespace troupe::cpu {
namespace {

constexpr auto absolute = [](auto x) {
  using T = decltype(x);
  if constexpr (std::is_unsigned_v<T>) return x;
  else if constexpr (is_number<T>) return x < 0 ? -wrap(x) : wrap(x);
  else return std::abs(x);
};

constexpr auto sign = [](auto x) {
  using T = decltype(x);
  if constexpr (is_complex<T>) return x == T{} ? x : x / std::abs(x);
  else if constexpr (is_number<T>) return static_cast<T>((x > T{}) - (x < T{}));
  // NaN compares false with everything and stays what it is.
  else return x > 0 ? T(1) : x < 0 ? T(-1) : x;
};

// Not Eigen's, which make NaN of infinity.
constexpr auto square_root = [](auto x) { return std::sqrt(x); };
constexpr auto inverse_square_root = [](auto x) { return decltype(x)(1) / std::sqrt(x); };

// Functions that Eigen computes several elements at a time.
constexpr auto exponential = [](const auto& x) { return x.exp(); };
constexpr auto logarithm = [](const auto& x) { return x.log(); };
constexpr auto hyperbolic_tangent = [](const auto& x) { return x.tanh(); };
constexpr auto logistic = [](const auto& x) {
  using T = typename std::remove_cvref_t<decltype(x)>::Scalar;
  if constexpr (is_complex<T>) return ((-x).exp() + T(1)).inverse();
  else return x.logistic();
};

/// Eigen clamps what it takes the exponential of; results of clamped ones stand for 0.
constexpr auto without_clamp = [](auto x) {
  using T = decltype(x);
  constexpr auto least = std::is_same_v<T, float> ? T(3e-39) : T(5.6e-309);
  return x <= least ? T(0) : x;
};

template <class F, class T>
Status compute_integer_reciprocal(Launch& launch) {
  for (auto x : launch.input(0).values<T>())
    if (x == T{}) return invalid_argument("integer division by zero");
  return compute_unary<F, T, T>(launch);
}

constexpr auto reciprocal = [](auto x) {
  using T = decltype(x);
  if constexpr (is_number<T> && std::is_signed_v<T>)
    return static_cast<T>(x == 1 || x == -1 ? x : T{});
  else return static_cast<T>(T(1) / x);
};

template <class F>
Result<Kernel> make_reciprocal(const Node& node, F) {
  return dispatch(Numeric{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    if constexpr (is_number<T>) return Kernel{.compute = compute_integer_reciprocal<F, T>};
    else return Kernel{.compute = compute_unary<F, T, T>};
  });
}

}  // namespace

void add_math_unary_kernels(KernelCatalog& catalog) {
  catalog.add("Neg", unary<Numeric>([](auto x) { return -wrap(x); }));
  catalog.add("Square", unary<Numeric>([](auto x) { return wrap(x) * wrap(x); }));
  catalog.add("Abs", unary<Real>(absolute));
  catalog.add("Sign", unary<Numeric>(sign));
  for (auto name : {"Reciprocal", "Inv"})
    catalog.add(name, [](const Node& node) { return make_reciprocal(node, reciprocal); });
  catalog.add("Conj", unary<Complex>([](auto x) { return std::conj(x); }));
  catalog.add("Exp", function(exponential, without_clamp));
  catalog.add("Log", function(logarithm));
  catalog.add("Tanh", function(hyperbolic_tangent));
  catalog.add("Sigmoid", function(logistic, without_clamp));
  catalog.add("Sqrt", unary<Differentiable>(square_root));
  catalog.add("Rsqrt", unary<Differentiable>(inverse_square_root));
}

}  // namespace troupe::cpu
