#include <algorithm>
#include <bit>
#include <functional>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

/// The number of bits as a shift of a T: one that C++ defines, and TensorFlow's where it is not.
template <class T>
int shift_of(T bits) {
  constexpr int most = 8 * sizeof(T) - 1;
  if constexpr (std::is_signed_v<T>) bits = std::max(bits, T{});
  return static_cast<int>(std::min<T>(bits, most));
}

constexpr auto shift_left = [](auto x, auto y) { return wrap(x) << shift_of(y); };
constexpr auto shift_right = [](auto x, auto y) { return x >> shift_of(y); };

constexpr auto count_bits = [](auto x) {
  return std::popcount(static_cast<std::make_unsigned_t<decltype(x)>>(x));
};

Result<Kernel> make_population_count(const Node& node) {
  return dispatch(Integral{}, node.attr<DType>("T"), [](auto zero) {
    using F = decltype(count_bits);
    return Kernel{.compute = compute_unary<F, decltype(zero), uint8_t>};
  });
}

}  // namespace

void add_bitwise_kernels(KernelCatalog& catalog) {
  catalog.add("BitwiseAnd", binary<Integral>(std::bit_and<>()));
  catalog.add("BitwiseOr", binary<Integral>(std::bit_or<>()));
  catalog.add("BitwiseXor", binary<Integral>(std::bit_xor<>()));
  catalog.add("Invert", unary<Integral>(std::bit_not<>()));
  catalog.add("LeftShift", binary<Integral>(shift_left));
  catalog.add("RightShift", binary<Integral>(shift_right));
  catalog.add("PopulationCount", make_population_count);
  catalog.add_compute("LogicalOr", compute_binary<std::bit_or<>, bool, bool>);
}

}  // namespace troupe::cpu
