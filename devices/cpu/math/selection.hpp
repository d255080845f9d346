#pragma once

#include <cstdint>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// out[i] is then[i] or otherwise[i], of which it may be the memory. Both are read whatever the
/// flag: without a jump that cannot be foreseen.
template <class C>
void select_elements(C* out, const bool* flags, const C* then, const C* otherwise, int64_t count) {
  if constexpr (requires(C c) { c.bits& c.bits; }) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      using Bits = decltype(C::bits);
      auto mask = static_cast<Bits>(-static_cast<Bits>(flags[i]));
      out[i].bits = static_cast<Bits>((then[i].bits & mask) | (otherwise[i].bits & ~mask));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = flags[i] ? then[i] : otherwise[i];
  }
}

// The parts of the selection family, each in the file of its name.
void add_select_v2_kernel(KernelCatalog& catalog);

/// Fails unless the operands of Cross are vectors of size 3.
Status check_vectors(const Launch& launch);

/// The shape of the same bytes as elements of another dtype. InvalidArgument where the last
/// dimension is not as many elements as one of the other dtype has bytes for.
Result<Shape> bitcast_shape(const Shape& shape, DType from, DType to);

}  // namespace troupe::cpu
