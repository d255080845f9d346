#include "troupe/tests/devices/reference/call_graph.hpp"

#include <algorithm>
#include <cmath>

#include "troupe/devices/cpu/dispatch.hpp"

namespace troupe::testing {
namespace {

template <class T>
bool is_near(T got, T expected, double tolerance) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    auto size = std::max(1.0, double(std::abs(expected)));
    if ((std::isnan(std::abs(got)) && std::isnan(std::abs(expected))) || got == expected)
      return true;
    if (double(std::abs(got - expected)) <= tolerance * size) return true;
    auto is_same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    return is_same(got.real(), expected.real()) && is_same(got.imag(), expected.imag());
  } else if constexpr (std::is_same_v<T, std::string> || std::is_integral_v<T>) {
    return got == expected;
  } else {
    auto a = static_cast<double>(got), b = static_cast<double>(expected);
    if (std::isnan(b)) return std::isnan(a);
    return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
  }
}

}  // namespace

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return 2e-3;
    case DType::bfloat16: return 1.6e-2;
    case DType::float32: return 2e-6;
    case DType::complex64: return 4e-6;
    default: return 1e-12;
  }
}

std::string difference(const Tensor& got, const Tensor& expected, std::optional<double> tolerance) {
  if (!got.is_set()) return "is not set";
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape())
    return got.to_string() + " instead of " + expected.to_string();
  std::string found;
  using Types = decltype(cpu::AllPlain{} + cpu::Types<std::string>{});
  cpu::for_dtype(Types{}, got.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < got.elements() && found.empty(); ++i) {
      const auto &a = got.data<T>()[i], &b = expected.data<T>()[i];
      if (is_near<T>(a, b, tolerance.value_or(tolerance_of(got.dtype())))) continue;
      found = "element " + std::to_string(i) + " is " + Tensor::scalar<T>(a).to_string() +
              " instead of " + Tensor::scalar<T>(b).to_string();
    }
  });
  return found;
}

}  // namespace troupe::testing
