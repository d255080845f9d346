#include <math.h>  // lgamma_r, which unlike std::lgamma writes no global variable

#include <algorithm>
#include <cmath>
#include <complex>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/special.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {
namespace {

/// Of complex numbers: e^a cos(b) - 1, without subtracting numbers that are nearly the same.
constexpr auto exponential_minus_1 = [](auto x) {
  auto a = x.real(), b = x.imag(), half = std::sin(b / 2);
  return decltype(x)(std::expm1(a) * std::cos(b) - 2 * half * half, std::exp(a) * std::sin(b));
};

/// Of complex numbers.
constexpr auto logarithm_of_1_plus = [](auto x) {
  using T = decltype(x);
  using R = typename T::value_type;
  auto a = x.real(), b = x.imag();
  if (!(std::abs(a) < R(0.5) && std::abs(b) < R(0.5))) return std::log(R(1) + x);
  return T(std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a));
};

/// The maker of the kernel of a function that vectors of floats have; F is for doubles.
template <vector::Function function, class F>
KernelCatalog::Make error_function(F) {
  return [](const Node& node) {
    return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      auto kernel = costly_unary<T>(unary_loop<F, T, T>);
      if constexpr (!std::is_same_v<T, double>)
        kernel.compute = ComputeUnary{vector_elements<function, T>(function_cost_elements)};
      return kernel;
    });
  };
}

constexpr auto log_gamma = [](auto x) {
  int sign;
  if constexpr (std::is_same_v<decltype(x), float>) return lgammaf_r(x, &sign);
  else return lgamma_r(x, &sign);
};

constexpr auto division_of_not_zero = [](auto x, auto y) {
  using T = decltype(x);
  return x == T{} ? T{} : x / y;
};

constexpr auto product_with_log = [](auto x, auto y) {
  using T = decltype(x);
  return x == T{} ? T{} : x * std::log(y);
};

/// As wide as the functions of gamma and beta are computed for every dtype, since Eigen's loops for
/// floats are less exact, and do not end for some operands.
template <double (*function)(double, double)>
constexpr auto by_doubles = [](auto x, auto y) {
  return static_cast<decltype(x)>(function(static_cast<double>(x), static_cast<double>(y)));
};

constexpr int64_t gamma_cost_elements = 256;

/// The maker of the kernel of a function of two numbers that takes hundreds of nanoseconds.
template <double (*function)(double, double)>
Result<Kernel> make_gamma_kernel(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    auto elements = binary_elements<decltype(by_doubles<function>), T, T>();
    elements.cost = gamma_cost_elements;
    return Kernel{
        .compute = [elements](Launch& launch) { return compute_binary(launch, elements); },
        .cost_ns =
            [](const Launch& launch) {
              return 200 * std::max(launch.input(0).elements(), launch.input(1).elements());
            }};
  });
}

/// An operand of a function of three: one number for each element of the result, or one for all.
template <class T>
struct BetaOperand {
  const T* elements;
  int64_t step;
  double operator[](int64_t i) const { return static_cast<double>(elements[i * step]); }
};

/// The shape of those that are not scalars.
Result<Shape> betainc_shape(const Launch& launch) {
  Shape shape;
  for (int i : {0, 1, 2}) {
    const auto& own = launch.input(i).shape();
    if (shape.is_scalar()) shape = own;
    else if (!own.is_scalar() && own != shape)
      return invalid_argument(
          "operands must be scalars or have one shape, but are " + shape.to_string() + " and " +
          own.to_string());
  }
  return shape;
}

template <class T>
Status compute_betainc(Launch& launch) {
  auto shape = betainc_shape(launch);
  if (!shape) return shape.status();
  auto operand = [&](int i) {
    const auto& input = launch.input(i);
    return BetaOperand<T>{input.data<T>(), input.shape().is_scalar() ? 0 : 1};
  };
  auto a = operand(0), b = operand(1), x = operand(2);
  auto out = launch.allocate(dtype_of<T>(), *shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  parallel_ranges(out->elements(), gamma_cost_elements, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) result[i] = static_cast<T>(betainc(a[i], b[i], x[i]));
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_betainc(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = compute_betainc<decltype(zero)>, .cost_ns = [](const Launch& launch) {
                    int64_t elements = 1;
                    for (int i : {0, 1, 2})
                      elements = std::max(elements, launch.input(i).elements());
                    return 300 * elements;
                  }};
  });
}

}  // namespace

void add_special_kernels(KernelCatalog& catalog) {
  using vector::Function;
  catalog.add("Expm1", costly_vector_unary<Function::expm1, Differentiable>(exponential_minus_1));
  catalog.add("Log1p", costly_vector_unary<Function::log1p, Differentiable>(logarithm_of_1_plus));
  catalog.add("Erf", error_function<Function::erf>([](auto x) { return std::erf(x); }));
  catalog.add("Erfc", error_function<Function::erfc>([](auto x) { return std::erfc(x); }));
  catalog.add("BesselI0e", scalar_function<Floating>([](auto x) {
                return static_cast<decltype(x)>(Eigen::numext::bessel_i0e(static_cast<double>(x)));
              }));
  catalog.add("BesselI1e", scalar_function<Floating>([](auto x) {
                return static_cast<decltype(x)>(Eigen::numext::bessel_i1e(static_cast<double>(x)));
              }));
  catalog.add("Lgamma", scalar_function<Floating>(log_gamma));
  catalog.add(
      "Digamma", scalar_function<Floating>([](auto x) { return Eigen::numext::digamma(x); }));
  catalog.add("Igamma", make_gamma_kernel<igamma>);
  catalog.add("Igammac", make_gamma_kernel<igammac>);
  catalog.add("IgammaGradA", make_gamma_kernel<igamma_derivative>);
  catalog.add("Betainc", make_betainc);
  catalog.add("Zeta", make_gamma_kernel<hurwitz_zeta>);
  catalog.add("Polygamma", make_gamma_kernel<polygamma>);
  catalog.add("Xdivy", binary<Differentiable>(division_of_not_zero));
  catalog.add("Xlogy", binary<Differentiable>(product_with_log));
}

}  // namespace troupe::cpu
