#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {
namespace {

/// Of integers and complex numbers.
constexpr auto to_nearest = [](auto x) {
  using T = decltype(x);
  if constexpr (is_complex<T>) return T(std::nearbyint(x.real()), std::nearbyint(x.imag()));
  else return x;
};

}  // namespace

void add_rounding_kernels(KernelCatalog& catalog) {
  using vector::Function;
  catalog.add("Floor", vector_unary<Function::floor, Floating>(as_it_is));
  catalog.add("Ceil", vector_unary<Function::ceil, Floating>(as_it_is));
  catalog.add("Rint", vector_unary<Function::round, Floating>(as_it_is));
  catalog.add("Round", vector_unary<Function::round, Numeric>(to_nearest));
}

}  // namespace troupe::cpu
