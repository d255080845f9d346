#pragma once

#include <cstdint>
#include <type_traits>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// out[i] is then[i] or otherwise[i], of which it may be the memory. Both are read whatever the
/// flag: without a jump that cannot be foreseen.
template <class C>
void select_elements(C* out, const bool* flags, const C* then, const C* otherwise, int64_t count) {
  if constexpr (std::is_trivially_copyable_v<C>) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      auto a = then[i], b = otherwise[i];
      out[i] = flags[i] ? a : b;
    }
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = flags[i] ? then[i] : otherwise[i];
  }
}

// The parts of the selection family, each in the file of its name.
void add_select_v2_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
