#include <cmath>
#include <complex>

#include "troupe/devices/cpu/math/array_function.hpp"
#include "troupe/devices/cpu/math/math.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

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

/// The loop over 16-bit floats of one that is known where the kernel is made.
template <class T, vector::Function function>
void half_function_loop(void* out, const void* x, int64_t count) {
  static const auto loop = vector::function_loop(function, DType::float32);
  unary_by_floats<T>(out, x, count, loop);
}

/// The maker of the kernel of a function of vectors; `cost`: as in UnaryElements.
template <vector::Function function, int64_t cost, class T>
Kernel vector_function() {
  UnaryElements elements{nullptr, dtype_of<T>(), dtype_of<T>(), cost};
  if constexpr (is_half<T>) {
    elements.loop = half_function_loop<T, function>;
  } else {
    elements.loop = vector::function_loop(function, elements.in);
    elements.streaming = vector::function_loop(function, elements.in, /*streams=*/true);
  }
  return Kernel{.compute = ComputeUnary{elements}};
}

/// The maker of the kernel of a function of real numbers that is one of vectors; of complex ones,
/// `Complex` is it, of whole Eigen arrays.
template <vector::Function function, class Complex>
KernelCatalog::Make costly_function(Complex) {
  return [](const Node& node) {
    return dispatch(Differentiable{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex<T>) {
        return costly_unary<T>(function_loop<Complex, decltype(as_it_is), T>);
      } else {
        auto kernel = vector_function<function, function_cost_elements, T>();
        kernel.cost_ns = costly_unary<T>(nullptr).cost_ns;
        return kernel;
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
      else return vector_function<function, 1, T>();
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
  catalog.add("Neg", unary<Numeric>([](auto x) { return -wrap(x); }));
  catalog.add("Square", unary<Numeric>([](auto x) { return wrap(x) * wrap(x); }));
  catalog.add("Abs", unary<Real>(absolute));
  catalog.add("Sign", unary<Numeric>(sign));
  for (auto name : {"Reciprocal", "Inv"})
    catalog.add(name, [](const Node& node) { return make_reciprocal(node, reciprocal); });
  catalog.add("Conj", unary<Complex>([](auto x) { return std::conj(x); }));
  using vector::Function;
  catalog.add("Exp", costly_function<Function::exp>(exponential));
  catalog.add("Log", costly_function<Function::log>(logarithm));
  catalog.add("Tanh", costly_function<Function::tanh>(hyperbolic_tangent));
  catalog.add("Sigmoid", costly_function<Function::sigmoid>(logistic));
  catalog.add("Sqrt", cheap_function<Function::sqrt>(square_root));
  catalog.add("Rsqrt", cheap_function<Function::rsqrt>(inverse_square_root));
}

}  // namespace troupe::cpu
