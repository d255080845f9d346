#include "troupe/devices/cpu/math/bitwise.hpp"

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

template <class T>
Status compare_and_pack(Launch& launch) {
  const auto& in = launch.input(0);
  auto shape = bitpacked_shape(launch);
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::uint8, *shape);
  if (!out) return out.status();
  auto threshold = promote(launch.input(1).value<T>());
  const auto* from = in.data<T>();
  auto* to = out->template mutable_data<uint8_t>();
  parallel_ranges(out->elements(), 8, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      unsigned bits = 0;
      for (int j = 0; j < 8; ++j) bits = bits << 1 | (promote(from[i * 8 + j]) > threshold ? 1 : 0);
      to[i] = static_cast<uint8_t>(bits);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Result<Shape> bitpacked_shape(const Launch& launch) {
  auto shape = launch.input(0).shape();
  if (!launch.input(1).shape().is_scalar())
    return invalid_argument(
        "the threshold must be a scalar, but is " + launch.input(1).shape().to_string());
  if (shape.is_scalar() || shape[shape.rank() - 1] % 8 != 0)
    return invalid_argument(
        "the last axis must have a multiple of 8 elements, but the shape is " + shape.to_string());
  shape.set(shape.rank() - 1, shape[shape.rank() - 1] / 8);
  return shape;
}

void add_bitwise_kernels(KernelCatalog& catalog) {
  catalog.add("BitwiseAnd", binary<Integral>(std::bit_and<>()));
  catalog.add("BitwiseOr", binary<Integral>(std::bit_or<>()));
  catalog.add("BitwiseXor", binary<Integral>(std::bit_xor<>()));
  catalog.add("Invert", unary<Integral>(std::bit_not<>()));
  catalog.add("LeftShift", binary<Integral>(shift_left));
  catalog.add("RightShift", binary<Integral>(shift_right));
  catalog.add("CompareAndBitpack", [](const Node& node) {
    using Compared = Types<bool, float16, float, double, int8_t, int16_t, int32_t, int64_t>;
    return dispatch(Compared{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compare_and_pack<decltype(zero)>};
    });
  });
  catalog.add("PopulationCount", make_population_count);
  catalog.add_compute("LogicalOr", compute_binary<std::bit_or<>, bool, bool>);
}

}  // namespace troupe::cpu
