#include <cmath>
#include <complex>

#include "troupe/devices/cpu/math/array_function.hpp"
#include "troupe/devices/cpu/math/math.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

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

// Of complex numbers.
constexpr auto exponential = [](const auto& x) { return x.exp(); };
constexpr auto logarithm = [](const auto& x) { return x.log(); };
constexpr auto hyperbolic_tangent = [](const auto& x) { return x.tanh(); };
constexpr auto logistic = [](const auto& x) {
  using T = typename std::remove_cvref_t<decltype(x)>::Scalar;
  return ((-x).exp() + T(1)).inverse();
};

/// The maker of the kernel of a function of real numbers that is one of vectors; of complex ones,
/// `Complex` is it, of whole Eigen arrays.
template <vector::Function function, class Complex>
KernelCatalog::Make costly_function(Complex) {
  return [](const Node& node) {
    return dispatch(Differentiable{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex<T>) {
        return costly_unary<T>(function_loop<Complex, T>);
      } else {
        return Kernel{
            .compute = ComputeUnary{vector_elements<function, T>(function_cost_elements)},
            .cost_ns = costly_unary<T>(nullptr).cost_ns};
      }
    });
  };
}

/// The same of one that costs little more than a product; of complex numbers, `Complex` is it, of
/// an element.
template <vector::Function function, class Complex>
KernelCatalog::Make cheap_function(Complex) {
  return [](const Node& node) {
    return dispatch(Differentiable{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex<T>) return Kernel{.compute = compute_unary<Complex, T, T>};
      else return Kernel{.compute = ComputeUnary{vector_elements<function, T>()}};
    });
  };
}

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
    else return Kernel{.compute = ComputeUnary{unary_elements<F, T, T>()}};
  });
}

}  // namespace

void add_math_unary_kernels(KernelCatalog& catalog) {
  using vector::Function;
  catalog.add("Neg", vector_unary<Function::neg, Numeric>([](auto x) { return -wrap(x); }));
  catalog.add(
      "Square", vector_unary<Function::square, Numeric>([](auto x) { return wrap(x) * wrap(x); }));
  catalog.add("Abs", vector_unary<Function::abs, Real>(absolute));
  catalog.add("Sign", vector_unary<Function::sign, Numeric>(sign));
  for (auto name : {"Reciprocal", "Inv"})
    catalog.add(name, [](const Node& node) { return make_reciprocal(node, reciprocal); });
  catalog.add("Conj", unary<Complex>([](auto x) { return std::conj(x); }));
  catalog.add("Exp", costly_function<Function::exp>(exponential));
  catalog.add("Log", costly_function<Function::log>(logarithm));
  catalog.add("Tanh", costly_function<Function::tanh>(hyperbolic_tangent));
  catalog.add("Sigmoid", costly_function<Function::sigmoid>(logistic));
  catalog.add("Sqrt", cheap_function<Function::sqrt>(square_root));
  catalog.add("Rsqrt", cheap_function<Function::rsqrt>(inverse_square_root));
}

}  // namespace troupe::cpu
