#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/functions.hpp"

namespace troupe::cuda {
namespace {

#define TROUPE_INTEGERS(launch, op)                             \
  {#op, Element::int8, launch<op, int8_t, int8_t>},             \
      {#op, Element::int16, launch<op, int16_t, int16_t>},      \
      {#op, Element::int32, launch<op, int32_t, int32_t>},      \
      {#op, Element::int64, launch<op, int64_t, int64_t>},      \
      {#op, Element::uint8, launch<op, uint8_t, uint8_t>},      \
      {#op, Element::uint16, launch<op, uint16_t, uint16_t>},   \
      {#op, Element::uint32, launch<op, uint32_t, uint32_t>}, { \
#op, Element::uint64, launch < op, uint64_t, uint64_t>      \
  }

constexpr BinaryEntry binary[] = {
    TROUPE_INTEGERS(launch_binary, BitwiseAnd), TROUPE_INTEGERS(launch_binary, BitwiseOr),
    TROUPE_INTEGERS(launch_binary, BitwiseXor), TROUPE_INTEGERS(launch_binary, LeftShift),
    TROUPE_INTEGERS(launch_binary, RightShift),
};
constexpr UnaryEntry unary[] = {TROUPE_INTEGERS(launch_unary, Invert)};

}  // namespace

std::span<const BinaryEntry> bitwise_entries() { return binary; }
std::span<const UnaryEntry> invert_entries() { return unary; }

}  // namespace troupe::cuda
