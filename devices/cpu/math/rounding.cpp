#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

constexpr auto to_nearest = [](auto x) {
  using T = decltype(x);
  if constexpr (is_number<T>) return x;
  else if constexpr (is_complex<T>) return T(std::nearbyint(x.real()), std::nearbyint(x.imag()));
  else return std::nearbyint(x);
};

}  // namespace

void add_rounding_kernels(KernelCatalog& catalog) {
  catalog.add("Floor", unary<Floating>([](auto x) { return std::floor(x); }));
  catalog.add("Ceil", unary<Floating>([](auto x) { return std::ceil(x); }));
  catalog.add("Rint", unary<Floating>(to_nearest));
  catalog.add("Round", unary<Numeric>(to_nearest));
}

}  // namespace troupe::cpu
