// What each set of instructions has a copy of: included once for each by hwy/foreach_target.h.
#if defined(TROUPE_VECTOR_LOOPS) == defined(HWY_TARGET_TOGGLE)
#ifdef TROUPE_VECTOR_LOOPS
#undef TROUPE_VECTOR_LOOPS
#else
#define TROUPE_VECTOR_LOOPS
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE int64_t lanes_of(D d) {
  return static_cast<int64_t>(hn::Lanes(d));
}

/// Memory for one vector, whatever its size.
template <class D>
struct Buffer {
  alignas(64) hn::TFromD<D> elements[hn::MaxLanes(D())];
};

/// The vector of `count` elements, less than it has lanes, and in the others 0.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_some(D d, const T* from, int64_t count) {
  Buffer<D> buffer = {};
  std::copy_n(from, count, buffer.elements);
  return hn::Load(d, buffer.elements);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_some(hn::Vec<D> v, D d, T* to, int64_t count) {
  Buffer<D> buffer;
  hn::Store(v, d, buffer.elements);
  std::copy_n(buffer.elements, count, to);
}

/// How many elements come before the first at which a vector is aligned, at most `count`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE int64_t count_unaligned(D d, const T* at, int64_t count) {
  const auto lanes = static_cast<uintptr_t>(hn::Lanes(d));
  const auto index = reinterpret_cast<uintptr_t>(at) / sizeof(T);
  return std::min(static_cast<int64_t>((lanes - index % lanes) % lanes), count);
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
