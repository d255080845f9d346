#include "troupe/devices/cpu/vector/pool.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/pool.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Calls f(offset, index) for the cells of a window, in their order.
template <class F>
HWY_INLINE void each_cell(const PoolCells& window, const F& f) {
  int64_t index = 0;
  for (int64_t plane = 0; plane < window.counts[0]; ++plane)
    for (int64_t row = 0; row < window.counts[1]; ++row) {
      auto offset = plane * window.strides[0] + row * window.strides[1];
      for (int64_t column = 0; column < window.counts[2]; ++column, offset += window.strides[2])
        f(offset, index++);
    }
}

inline int64_t cells_of(const PoolCells& window) {
  return window.counts[0] * window.counts[1] * window.counts[2];
}

/// Loads a vector and asks for what follows 2 KiB after it. The rows of a window are far apart, and
/// the cells of a row few: what the processor asks for by itself comes too late.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_and_prefetch(D d, const T* from) {
  hwy::Prefetch(from + 2048 / sizeof(T));
  return hn::LoadU(d, from);
}

/// Whether a value takes the greatest one's place.
template <class V>
HWY_INLINE auto is_greater(V value, V greatest) {
  return hn::Not(hn::Or(hn::Le(value, greatest), hn::IsNaN(greatest)));
}

// The functions of each struct compute `vectors` vectors of inner elements, from the first of them
// on, which stay in registers over all cells.

template <class T>
struct TakeGreatest {
  const T* first;
  T* out;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, const PoolCells& window, int64_t begin) const {
    const auto lanes = lanes_of(d);
    hn::Vec<D> greatest[vectors];
    for (int64_t k = 0; k < vectors; ++k) greatest[k] = hn::LoadU(d, first + begin + k * lanes);
    each_cell(window, [&](int64_t offset, int64_t) {
      for (int64_t k = 0; k < vectors; ++k) {
        const auto value = load_and_prefetch(d, first + offset + begin + k * lanes);
        greatest[k] = hn::IfThenElse(is_greater(value, greatest[k]), value, greatest[k]);
      }
    });
    for (int64_t k = 0; k < vectors; ++k) hn::StoreU(greatest[k], d, out + begin + k * lanes);
  }
};

template <class T>
struct AddToGreatest {
  const T* first;
  const T* gradients;
  T* sums;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, const PoolCells& window, int64_t begin) const {
    const hn::RebindToUnsigned<D> indices;
    using Index = hn::TFromD<decltype(indices)>;
    const auto lanes = lanes_of(d);
    hn::Vec<D> greatest[vectors];
    hn::Vec<decltype(indices)> places[vectors];
    for (int64_t k = 0; k < vectors; ++k) {
      greatest[k] = hn::LoadU(d, first + begin + k * lanes);
      places[k] = hn::Zero(indices);
    }
    each_cell(window, [&](int64_t offset, int64_t index) {
      const auto place = hn::Set(indices, static_cast<Index>(index));
      for (int64_t k = 0; k < vectors; ++k) {
        const auto value = load_and_prefetch(d, first + offset + begin + k * lanes);
        const auto is_new = is_greater(value, greatest[k]);
        greatest[k] = hn::IfThenElse(is_new, value, greatest[k]);
        places[k] = hn::IfThenElse(hn::RebindMask(indices, is_new), place, places[k]);
      }
    });
    // A sum begins as 0 and so is never -0: adding 0 leaves it as it is.
    each_cell(window, [&](int64_t offset, int64_t index) {
      const auto place = hn::Set(indices, static_cast<Index>(index));
      for (int64_t k = 0; k < vectors; ++k) {
        const auto at = begin + k * lanes;
        const auto is_here = hn::RebindMask(d, hn::Eq(places[k], place));
        const auto share = hn::IfThenElseZero(is_here, hn::LoadU(d, gradients + at));
        auto* sum = sums + offset + at;
        hn::StoreU(hn::Add(load_and_prefetch(d, sum), share), d, sum);
      }
    });
  }
};

template <class T>
struct Average {
  const T* first;
  T* out;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, const PoolCells& window, int64_t begin) const {
    const auto lanes = lanes_of(d);
    hn::Vec<D> sums[vectors];
    for (int64_t k = 0; k < vectors; ++k) sums[k] = hn::Zero(d);
    each_cell(window, [&](int64_t offset, int64_t) {
      for (int64_t k = 0; k < vectors; ++k)
        sums[k] = hn::Add(sums[k], load_and_prefetch(d, first + offset + begin + k * lanes));
    });
    const auto count = hn::Set(d, static_cast<T>(cells_of(window)));
    for (int64_t k = 0; k < vectors; ++k)
      hn::StoreU(hn::Div(sums[k], count), d, out + begin + k * lanes);
  }
};

template <class T>
struct Spread {
  const T* gradients;
  T* sums;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, const PoolCells& window, int64_t begin) const {
    const auto lanes = lanes_of(d);
    const auto count = hn::Set(d, static_cast<T>(cells_of(window)));
    hn::Vec<D> shares[vectors];
    for (int64_t k = 0; k < vectors; ++k)
      shares[k] = hn::Div(hn::LoadU(d, gradients + begin + k * lanes), count);
    each_cell(window, [&](int64_t offset, int64_t) {
      for (int64_t k = 0; k < vectors; ++k) {
        auto* sum = sums + offset + begin + k * lanes;
        hn::StoreU(hn::Add(hn::LoadU(d, sum), shares[k]), d, sum);
      }
    });
  }
};

/// Computes all inner elements: by blocks of vectors, single vectors, single elements.
template <class T, class F>
HWY_INLINE void each_block(const PoolCells& window, const F& f) {
  constexpr int64_t block = 4;
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = lanes_of(d);
  int64_t i = 0;
  for (; i + block * lanes <= window.inner; i += block * lanes)
    f.template compute<block>(d, window, i);
  if (i + block / 2 * lanes <= window.inner) {
    f.template compute<block / 2>(d, window, i);
    i += block / 2 * lanes;
  }
  for (; i + lanes <= window.inner; i += lanes) f.template compute<1>(d, window, i);
  for (; i < window.inner; ++i) f.template compute<1>(one, window, i);
}

template <class T>
void take_greatest(const PoolCells& window, const void* first, void* out) {
  each_block<T>(window, TakeGreatest<T>{static_cast<const T*>(first), static_cast<T*>(out)});
}

template <class T>
void add_to_greatest(
    const PoolCells& window, const void* first, const void* gradients, void* sums) {
  each_block<T>(
      window,
      AddToGreatest<T>{
          static_cast<const T*>(first), static_cast<const T*>(gradients), static_cast<T*>(sums)});
}

/// The elements of a row of cells that lie one after the other, if they are few.
constexpr int64_t row_max = 64;

/// Of cells smaller than a vector: rows of them are added up first, and then the cells of the sum.
template <class T>
void average_small(const PoolCells& window, const T* first, T* out) {
  const hn::CappedTag<T, 4> d;
  const hn::CappedTag<T, 1> one;
  T sums[row_max];
  const auto row_size = window.counts[2] * window.inner;
  auto add_rows = [&](auto d, int64_t i) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (int64_t plane = 0; plane < window.counts[0]; ++plane)
      for (int64_t row = 0; row < window.counts[1]; ++row) {
        const auto* at = first + plane * window.strides[0] + row * window.strides[1];
        sum = hn::Add(sum, hn::LoadU(d, at + i));
      }
    hn::StoreU(sum, d, sums + i);
  };
  int64_t i = 0;
  for (; i + lanes_of(d) <= row_size; i += lanes_of(d)) add_rows(d, i);
  for (; i < row_size; ++i) add_rows(one, i);
  const auto count = static_cast<T>(cells_of(window));
  for (int64_t c = 0; c < window.inner; ++c) {
    auto sum = sums[c];
    for (auto k = c + window.inner; k < row_size; k += window.inner) sum += sums[k];
    out[c] = sum / count;
  }
}

template <class T>
void average(const PoolCells& window, const void* first, void* out) {
  if (window.inner > 1 && window.inner < 4 && window.counts[2] * window.inner <= row_max)
    return average_small(window, static_cast<const T*>(first), static_cast<T*>(out));
  each_block<T>(window, Average<T>{static_cast<const T*>(first), static_cast<T*>(out)});
}

template <class T>
void spread(const PoolCells& window, const void* gradients, void* sums) {
  each_block<T>(window, Spread<T>{static_cast<const T*>(gradients), static_cast<T*>(sums)});
}

template <class T>
PoolLoops find_pool_loops_of() {
  return {take_greatest<T>, add_to_greatest<T>, average<T>, spread<T>};
}

PoolLoops find_pool_loops(DType dtype) {
  if (dtype == DType::float32) return find_pool_loops_of<float>();
  if (dtype == DType::float64) return find_pool_loops_of<double>();
  return {};
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_pool_loops);

PoolLoops pool_loops(DType dtype) { return HWY_DYNAMIC_DISPATCH(find_pool_loops)(dtype); }

}  // namespace troupe::cpu::vector
#endif
