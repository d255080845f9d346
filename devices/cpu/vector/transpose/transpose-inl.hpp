// As loops-inl.hpp: what is left of a matrix beside whole vectors.
#if defined(TROUPE_VECTOR_TRANSPOSE) == defined(HWY_TARGET_TOGGLE)
#ifdef TROUPE_VECTOR_TRANSPOSE
#undef TROUPE_VECTOR_TRANSPOSE
#else
#define TROUPE_VECTOR_TRANSPOSE
#endif

#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Of elements of any type of that size.
template <class T>
void transpose_scalars(T* to, const T* from, const Transposed& of, int64_t rows, int64_t columns) {
  struct [[gnu::may_alias]] Cell {
    T bits;
  };
  auto* out = reinterpret_cast<Cell*>(to);
  const auto* in = reinterpret_cast<const Cell*>(from);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) out[c * of.out_stride + r] = in[r * of.in_stride + c];
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
