#include <bit>
#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"
#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

using cpu::Repeat;
using cpu::vector::Arithmetic;
using cpu::vector::Function;

long double expected(Function function, long double x) {
  switch (function) {
    case Function::exp: return std::exp(x);
    case Function::log: return std::log(x);
    case Function::tanh: return std::tanh(x);
    case Function::sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case Function::sqrt: return std::sqrt(x);
    case Function::rsqrt: return 1 / std::sqrt(x);
    case Function::square: return x * x;
    case Function::neg: return -x;
    case Function::abs: return std::abs(x);
    case Function::relu: return x < 0 ? 0 : x;
    case Function::floor: return std::floor(x);
    case Function::ceil: return std::ceil(x);
    case Function::round: return std::nearbyint(x);
    case Function::sign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case Function::log1p: return std::log1p(x);
    case Function::expm1: return std::expm1(x);
    case Function::softplus: return (x < 0 ? 0 : x) + std::log1p(std::exp(-std::abs(x)));
    case Function::elu: return x < 0 ? std::expm1(x) : x;
    case Function::selu:
      return x < 0 ? 1.7580993408473768599402175208123L * std::expm1(x)
                   : 1.0507009873554804934193349852946L * x;
    case Function::sin: return std::sin(x);
    case Function::cos: return std::cos(x);
    case Function::asin: return std::asin(x);
    case Function::acos: return std::acos(x);
    case Function::atan: return std::atan(x);
    case Function::atanh: return std::atanh(x);
    case Function::erf: return std::erf(x);
    case Function::erfc: return std::erfc(x);
  }
  return 0;
}

template <class T>
void check_function(Function function, DType dtype) {
  auto x = numbers<T>();
  auto loop = cpu::vector::function_loop(function, dtype);
  auto streaming = cpu::vector::function_loop(function, dtype, /*streams=*/true);
  std::vector<T> y(x.size()), streamed(x.size() + most_lanes);
  loop(y.data(), x.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i)
    BOOST_TEST(
        ulps(y[i], expected(function, x[i])) <= (function < Function::log1p ? 2.5 : 4),
        "function " << int(function) << " of " << x[i] << " is " << y[i]);
  for (size_t i = 0; i < x.size(); ++i)
    if (y[i] == 0)
      BOOST_TEST(
          std::signbit(y[i]) == std::signbit(expected(function, x[i])),
          "function " << int(function) << " of " << x[i] << " is " << y[i]);
  // To every address that is not aligned.
  for (size_t at = 0; at < most_lanes; ++at) {
    streaming(streamed.data() + at, x.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i)
      BOOST_TEST(
          (same_bits(&streamed[at + i], &y[i], 1) ||
           (std::isnan(y[i]) && std::isnan(streamed[at + i]))),
          "function " << int(function) << " of " << x[i] << " is " << y[i] << " or "
                      << streamed[at + i]);
  }
  for (int64_t count = 0; count <= longest; ++count)
    for (int64_t begin = 0; begin < 5; ++begin) {
      std::vector<T> part(static_cast<size_t>(longest) + 1, T(7));
      loop(part.data(), x.data() + begin, count);
      BOOST_TEST(same_bits(part.data(), y.data() + begin, count));
      BOOST_TEST(part[static_cast<size_t>(count)] == T(7));
    }
}

template <class T>
T combined(Arithmetic operation, T x, T y) {
  auto a = cpu::wrap(x), b = cpu::wrap(y);
  switch (operation) {
    case Arithmetic::add: return static_cast<T>(a + b);
    case Arithmetic::sub: return static_cast<T>(a - b);
    case Arithmetic::mul: return static_cast<T>(a * b);
    case Arithmetic::div: return x / y;
    case Arithmetic::maximum: return x > y || x != x ? x : y;
    case Arithmetic::minimum: return x < y || x != x ? x : y;
    case Arithmetic::floor_div: return static_cast<T>(std::floor(x / y));
    case Arithmetic::atan2: return static_cast<T>(std::atan2(x, y));
  }
  return x;
}

template <class T>
void check_arithmetic(
    Arithmetic operation, DType dtype, const std::vector<T>& x, const std::vector<T>& y) {
  for (auto streams : {false, true})
    for (auto repeat : {Repeat::none, Repeat::x, Repeat::y})
      for (int64_t count = 0; count <= static_cast<int64_t>(x.size());
           count += count < longest ? 1 : 97) {
        std::vector<T> out(x.size() + 1, T(7));
        cpu::vector::arithmetic_loop(operation, dtype, streams)(
            out.data(), x.data(), y.data(), count, repeat);
        for (int64_t i = 0; i < count; ++i) {
          auto a = x[static_cast<size_t>(repeat == Repeat::x ? 0 : i)];
          auto b = y[static_cast<size_t>(repeat == Repeat::y ? 0 : i)];
          auto got = out[static_cast<size_t>(i)], wanted = combined(operation, a, b);
          if (got != wanted && (got == got || wanted == wanted))
            BOOST_ERROR(int(operation) << " of " << a << " and " << b << " is " << got);
        }
        BOOST_TEST(out[static_cast<size_t>(count)] == T(7));
      }
}

template <class T>
void check_angles(DType dtype) {
  auto all = numbers<T>();
  auto loop = cpu::vector::arithmetic_loop(Arithmetic::atan2, dtype);
  for (auto y : all) {
    std::vector<T> angles(all.size()), repeated(all.size(), y);
    loop(angles.data(), &y, all.data(), std::ssize(all), Repeat::x);
    int wrong = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      auto wanted = std::atan2(static_cast<long double>(y), static_cast<long double>(all[i]));
      wrong += !(ulps(angles[i], wanted) <= 4);
      if (angles[i] == 0) wrong += std::signbit(angles[i]) != std::signbit(wanted);
      T alone;
      loop(&alone, &y, &all[i], 1, Repeat::none);
      wrong += !same_bits(&alone, &angles[i], 1) && !(std::isnan(alone) && std::isnan(angles[i]));
    }
    BOOST_TEST(wrong == 0, "angles of " << y << ": " << wrong << " wrong");
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_functions)

BOOST_AUTO_TEST_CASE(roots_of_floats_are_rounded_correctly) {
  with_each_target([] {
    auto loop = cpu::vector::function_loop(Function::sqrt, DType::float32);
    std::vector<float> x, y;
    for (uint32_t bits = 1; bits < 0x7f800000; bits += 1013)
      x.push_back(std::bit_cast<float>(bits));
    y.resize(x.size());
    loop(y.data(), x.data(), std::ssize(x));
    int64_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i)
      wrong += y[i] != static_cast<float>(std::sqrt(static_cast<double>(x[i])));
    BOOST_TEST(wrong == 0);
  });
}

BOOST_AUTO_TEST_CASE(functions_are_exact_to_the_last_places_wherever_an_element_lies) {
  with_each_target([] {
    for (auto function : {Function::exp,      Function::log,   Function::tanh,   Function::sigmoid,
                          Function::sqrt,     Function::rsqrt, Function::square, Function::neg,
                          Function::abs,      Function::relu,  Function::floor,  Function::ceil,
                          Function::round,    Function::sign,  Function::log1p,  Function::expm1,
                          Function::softplus, Function::elu,   Function::sin,    Function::cos,
                          Function::selu,     Function::asin,  Function::acos,   Function::atan,
                          Function::atanh}) {
      check_function<float>(function, DType::float32);
      check_function<double>(function, DType::float64);
    }
    for (auto function : {Function::erf, Function::erfc})
      check_function<float>(function, DType::float32);
  });
}

BOOST_AUTO_TEST_CASE(hyperbolic_tangents_of_floats_are_exact_between_all_their_pieces) {
  std::vector<float> x;
  for (float next = 1e-6f; next < 12; next *= 1.0001f) x.push_back(next);
  with_each_target([&] {
    std::vector<float> y(x.size());
    cpu::vector::function_loop(Function::tanh, DType::float32)(y.data(), x.data(), std::ssize(x));
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, ulps(y[i], std::tanh(static_cast<long double>(x[i]))));
    BOOST_TEST(worst <= 2.5);
    BOOST_TEST(*std::ranges::max_element(y) == 1);
  });
}

BOOST_AUTO_TEST_CASE(error_functions_of_floats_are_exact_between_all_their_pieces) {
  std::vector<float> x;
  for (float next = 1e-6f; next < 10.2f; next *= 1.0001f) {
    x.push_back(next);
    x.push_back(-next);
  }
  with_each_target([&] {
    for (auto function : {Function::erf, Function::erfc}) {
      std::vector<float> y(x.size());
      cpu::vector::function_loop(function, DType::float32)(y.data(), x.data(), std::ssize(x));
      double worst = 0;
      for (size_t i = 0; i < x.size(); ++i)
        worst = std::max(worst, ulps(y[i], expected(function, static_cast<long double>(x[i]))));
      BOOST_TEST(
          worst <= (function == Function::erf ? 4 : 6),
          "function " << int(function) << ": " << worst);
    }
  });
}

BOOST_AUTO_TEST_CASE(arithmetic_is_that_of_single_elements) {
  with_each_target([] {
    for (auto operation :
         {Arithmetic::add, Arithmetic::sub, Arithmetic::mul, Arithmetic::div, Arithmetic::maximum,
          Arithmetic::minimum, Arithmetic::floor_div}) {
      auto x = numbers<float>();
      check_arithmetic(operation, DType::float32, x, std::vector<float>(x.rbegin(), x.rend()));
      auto y = numbers<double>();
      check_arithmetic(operation, DType::float64, y, std::vector<double>(y.rbegin(), y.rend()));
      if (operation == Arithmetic::div || operation == Arithmetic::floor_div) continue;
      std::vector<int32_t> z;
      for (int i = 0; i < 200; ++i)
        z.push_back(static_cast<int32_t>(static_cast<uint32_t>(i) * 0x1234567u));
      check_arithmetic(operation, DType::int32, z, std::vector<int32_t>(z.rbegin(), z.rend()));
    }
  });
}

BOOST_AUTO_TEST_CASE(angles_are_exact_to_the_last_places_in_every_quadrant) {
  with_each_target([] {
    check_angles<float>(DType::float32);
    check_angles<double>(DType::float64);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
