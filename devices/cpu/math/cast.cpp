#include <bit>
#include <limits>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/math.hpp"

namespace troupe::cpu {
namespace {

/// As static_cast, where a complex number becomes its real part and a bool tells "not zero".
template <class To>
struct CastTo {
  template <class From>
  To operator()(const From& value) const {
    if constexpr (std::is_same_v<To, bool>) return value != From{};
    else if constexpr (is_complex<From> && is_complex<To>) return To(value);
    else if constexpr (is_complex<From>) return CastTo<To>{}(value.real());
    else if constexpr (is_complex<To>) return To(static_cast<typename To::value_type>(value));
    else if constexpr (is_half<To>) return To(static_cast<float>(value));
    else return static_cast<To>(value);
  }
};

/// As CastTo, but rounds a float towards 0 on the way to one with a shorter mantissa, by clearing
/// the bits that there is no room for.
template <class To>
struct TruncateTo {
  template <class From>
  To operator()(From value) const {
    using Bits = std::conditional_t<sizeof(From) == 8, uint64_t, uint32_t>;
    constexpr int lost = std::numeric_limits<From>::digits - std::numeric_limits<To>::digits;
    auto kept = std::bit_cast<Bits>(value) >> lost << lost;
    return CastTo<To>{}(std::bit_cast<From>(kept));
  }
};

template <class From, class To>
constexpr bool can_truncate = (std::is_same_v<From, double> &&
                               (is_half<To> || std::is_same_v<To, float>)) ||
                              (std::is_same_v<From, float> && is_half<To>);

template <class Half>
void narrow_loop(void* out, const void* x, int64_t count) {
  narrow(static_cast<Half*>(out), static_cast<const float*>(x), count);
}
template <class Half>
void widen_loop(void* out, const void* x, int64_t count) {
  widen(static_cast<float*>(out), static_cast<const Half*>(x), count);
}

template <class To>
UnaryElements cast_to(DType from, bool truncate) {
  UnaryElements elements;
  for_dtype(AllPlain{}, from, [&](auto zero) {
    using From = decltype(zero);
    if constexpr (can_truncate<From, To>)
      if (truncate) {
        elements = unary_elements<TruncateTo<To>, From, To>();
        return;
      }
    elements = unary_elements<CastTo<To>, From, To>();
    if constexpr (is_half<To> && std::is_same_v<From, float>) elements.loop = narrow_loop<To>;
    if constexpr (is_half<From> && std::is_same_v<To, float>) elements.loop = widen_loop<From>;
  });
  return elements;
}

Status copy_input(Launch& launch) {
  launch.set(0, launch.take_input(0));
  return {};
}

Result<Kernel> make_cast(const Node& node) {
  auto from = node.attr<DType>("SrcT"), to = node.attr<DType>("DstT");
  if (from == to) return Kernel{.compute = copy_input};
  if (!is_plain(to)) return unimplemented(std::string("nothing can be cast to ") + to_string(to));
  UnaryElements elements;
  for_dtype(AllPlain{}, to, [&](auto zero) {
    elements = cast_to<decltype(zero)>(from, node.attr<bool>("Truncate"));
  });
  if (!elements.loop) return no_kernel(from);
  return Kernel{.compute = [elements](Launch& launch) { return compute_unary(launch, elements); }};
}

}  // namespace

void add_cast_kernels(KernelCatalog& catalog) { catalog.add("Cast", make_cast); }

}  // namespace troupe::cpu
