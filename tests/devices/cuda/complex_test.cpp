#include <cmath>
#include <complex>

#include "troupe/devices/cuda/math/complex_inverses.hpp"
#include "troupe/devices/cuda/math/functions.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(cuda_complex)

template <class R>
using Complex = cuda::complex_numbers::Complex<R>;
template <class R>
constexpr double precision = std::is_same_v<R, float> ? 2e-6 : 1e-14;

/// Pairs of these are numbers at which functions have cuts, poles, and results that barely are.
template <class R>
std::vector<std::complex<R>> special_numbers() {
  using Limits = std::numeric_limits<R>;
  const R least = Limits::min(), most = Limits::max(), infinity = Limits::infinity();
  std::vector<R> parts;
  for (auto x :
       {R(0), R(1e-10), R(1e-5), R(0.5), R(0.6), R(0.8), R(0.9999), R(1), R(1.0001), R(2), R(3.1),
        R(30), R(100), R(800), R(1e5), R(1e15), least, most, infinity})
    parts.insert(parts.end(), {x, -x});
  parts.push_back(Limits::quiet_NaN());
  std::vector<std::complex<R>> numbers;
  for (auto x : parts)
    for (auto y : parts) numbers.emplace_back(x, y);
  return numbers;
}

/// Whether a part is as it is to be, where the whole number has a size: a NaN for a NaN.
template <class R>
bool is_near(R found, R expected, R other) {
  if (found != found || expected != expected) return found != found && expected != expected;
  // C leaves open which infinity there is beside a NaN.
  if (std::isinf(expected) && other != other) return std::isinf(found);
  if (found == expected) return true;
  auto size =
      std::isfinite(other) ? std::max(std::abs(expected), std::abs(other)) : std::abs(expected);
  return std::abs(found - expected) <= R(precision<R>) * size + std::numeric_limits<R>::min();
}

template <class R>
void check_near(
    const std::string& what, std::complex<R> z, Complex<R> found, std::complex<R> expected) {
  auto is_close = is_near(found.real, expected.real(), expected.imag()) &&
                  is_near(found.imag, expected.imag(), expected.real());
  BOOST_CHECK_MESSAGE(
      is_close, what << " of " << z << " is " << std::complex<R>(found.real, found.imag) << ", not "
                     << expected);
}

template <class R, class F, class G>
void check_function(const char* what, F function, G expected) {
  for (auto z : special_numbers<R>())
    check_near(what, z, function(Complex<R>(z.real(), z.imag())), expected(z));
}

#define FUNCTION(op, name)                                                       \
  check_function<float>(#name, cuda::op(), [](auto z) { return std::name(z); }), \
      check_function<double>(#name, cuda::op(), [](auto z) { return std::name(z); })

BOOST_AUTO_TEST_CASE(functions_compute_what_those_of_c_do) {
  FUNCTION(Exp, exp), FUNCTION(Log, log), FUNCTION(Sqrt, sqrt);
  FUNCTION(Sin, sin), FUNCTION(Cos, cos), FUNCTION(Tan, tan);
  FUNCTION(Sinh, sinh), FUNCTION(Cosh, cosh), FUNCTION(Tanh, tanh);
  FUNCTION(Asin, asin), FUNCTION(Acos, acos), FUNCTION(Atan, atan);
  FUNCTION(Asinh, asinh), FUNCTION(Acosh, acosh), FUNCTION(Atanh, atanh);
}

#undef FUNCTION

BOOST_AUTO_TEST_CASE(roots_keep_the_sign_of_a_part_that_is_zero) {
  using std::signbit;
  auto above = cuda::Sqrt()(Complex<double>(-4, 0.0)),
       below = cuda::Sqrt()(Complex<double>(-4, -0.0));
  BOOST_TEST((above.imag == 2 && below.imag == -2));
  auto log_above = cuda::Log()(Complex<double>(-1, 0.0)),
       log_below = cuda::Log()(Complex<double>(-1, -0.0));
  BOOST_TEST((log_above.imag > 3 && log_below.imag < -3));
  BOOST_TEST(signbit(cuda::Exp()(Complex<double>(1, -0.0)).imag));
  BOOST_TEST(signbit(cuda::Atanh()(Complex<double>(-0.0, 1)).real));
}

template <class T>
Tensor tensor_of(const std::vector<T>& numbers) {
  return Tensor::of<T>({std::ssize(numbers)}, std::span<const T>(numbers));
}

/// Of the numbers above those whose ratios and products are normal, as CPUs have 0 for others.
template <class R>
std::vector<std::complex<R>> moderate_numbers() {
  auto is_moderate = [](R part) {
    auto size = std::abs(part);
    return size == 0 || !std::isfinite(size) || (size > R(1e-12) && size < R(1e16));
  };
  std::vector<std::complex<R>> numbers;
  for (auto z : special_numbers<R>())
    if (is_moderate(z.real()) && is_moderate(z.imag())) numbers.push_back(z);
  return numbers;
}

/// With each number, some others.
template <class R, class F>
void check_binary(const char* op, F function) {
  auto x = moderate_numbers<R>();
  for (size_t turn : {0, 1, 40, 77, 300}) {
    auto y = x;
    std::rotate(y.begin(), y.begin() + static_cast<int64_t>(turn), y.end());
    auto on_cpu = run_op(op, {tensor_of(x), tensor_of(y)});
    BOOST_REQUIRE_MESSAGE(on_cpu.ok(), op << ": " << on_cpu.status().to_string());
    for (size_t i = 0; i < x.size(); ++i) {
      auto found =
          function(Complex<R>(x[i].real(), x[i].imag()), Complex<R>(y[i].real(), y[i].imag()));
      std::ostringstream what;
      what << op << " with " << y[i];
      check_near(what.str(), x[i], found, (*on_cpu)[0].template data<std::complex<R>>()[i]);
    }
  }
}

#define BINARY(op) check_binary<float>(#op, cuda::op()), check_binary<double>(#op, cuda::op())

BOOST_AUTO_TEST_CASE(arithmetic_is_that_of_the_ops_of_a_cpu) {
  BINARY(Add), BINARY(Sub), BINARY(Mul), BINARY(Div), BINARY(DivNoNan), BINARY(MulNoNan);
  BINARY(Xdivy), BINARY(TanhGrad), BINARY(SigmoidGrad);
}

#undef BINARY

BOOST_AUTO_TEST_CASE(what_cancels_out_in_a_product_is_zero) {
  for (auto z : special_numbers<float>()) {
    Complex<float> x(z.real(), z.imag());
    if (auto imag = (x * conj(x)).imag; imag == imag) BOOST_TEST(imag == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_real_number_becomes_a_complex_one_without_an_imaginary_part) {
  auto number = cuda::Narrow<cuda::Complex64>::of(int64_t{3});
  BOOST_TEST((number.real == 3 && number.imag == 0));
  auto narrowed = cuda::Narrow<cuda::Complex64>::of(cuda::Complex128(0.1, 1e300));
  BOOST_TEST((narrowed.real == 0.1f && narrowed.imag == std::numeric_limits<float>::infinity()));
  BOOST_TEST(!cuda::Narrow<bool>::of(cuda::Complex64(0, -0.0f)));
  BOOST_TEST(cuda::Narrow<bool>::of(cuda::Complex64(0, 2)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
