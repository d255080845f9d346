#include "troupe/devices/cpu/math/division.hpp"

#include <cmath>
#include <complex>

#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {
namespace {

constexpr auto divide_truncated = [](auto x, auto y) {
  if constexpr (is_number<decltype(x)>) return divide(x, y);
  else return std::trunc(x / y);
};

constexpr auto truncated_remainder = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_floating_point_v<T>) return std::fmod(x, y);
  else return static_cast<T>(wrap(x) - wrap(divide(x, y)) * wrap(y));
};

constexpr auto divide_floored = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_floating_point_v<T>) return std::floor(x / y);
  else if constexpr (std::is_unsigned_v<T>) return static_cast<T>(x / y);
  else {
    auto quotient = divide(x, y);
    auto is_inexact = static_cast<T>(wrap(quotient) * wrap(y)) != x;
    return static_cast<T>(is_inexact && (x < 0) != (y < 0) ? quotient - 1 : quotient);
  }
};

constexpr auto floored_remainder = [](auto x, auto y) {
  using T = decltype(x);
  auto remainder = truncated_remainder(x, y);
  if constexpr (std::is_unsigned_v<T>) return remainder;
  else
    return static_cast<T>(remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder);
};

constexpr auto divide_no_nan = [](auto x, auto y) {
  using T = decltype(x);
  return y == T{} ? T{} : x / y;
};

constexpr auto multiply_no_nan = [](auto x, auto y) {
  using T = decltype(x);
  return y == T{} ? T{} : x * y;
};

}  // namespace

void add_division_kernels(KernelCatalog& catalog) {
  catalog.add("FloorDiv", vector_division<vector::Arithmetic::floor_div, Real>(divide_floored));
  catalog.add("FloorMod", division<Real>(floored_remainder));
  catalog.add("TruncateDiv", division<Real>(divide_truncated));
  catalog.add("TruncateMod", division<Real>(truncated_remainder));
  catalog.add("Mod", division<Real>(truncated_remainder));
  catalog.add("DivNoNan", binary<Differentiable>(divide_no_nan));
  catalog.add("MulNoNan", binary<Differentiable>(multiply_no_nan));
}

}  // namespace troupe::cpu
