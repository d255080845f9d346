#include "troupe/devices/cpu/vector/pool.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// A walk over the cells of a window, in their order.
class CellWalk {
 public:
  explicit CellWalk(const PoolCells& window) : window_(window) {}

  int64_t offset() const { return offset_; }
  int64_t index() const { return index_; }
  /// Whether there is another cell.
  HWY_INLINE bool advance() {
    ++index_;
    offset_ += window_.strides[2];
    if (++column_ < window_.counts[2]) return true;
    column_ = 0;
    row_offset_ += window_.strides[1];
    offset_ = row_offset_;
    if (++row_ < window_.counts[1]) return true;
    row_ = 0;
    plane_offset_ += window_.strides[0];
    offset_ = row_offset_ = plane_offset_;
    return ++plane_ < window_.counts[0];
  }

 private:
  const PoolCells& window_;
  int64_t index_ = 0, offset_ = 0;
  int64_t column_ = 0, row_ = 0, plane_ = 0, row_offset_ = 0, plane_offset_ = 0;
};

inline int64_t cells_of(const PoolCells& window) {
  return window.counts[0] * window.counts[1] * window.counts[2];
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
    CellWalk cell(window);
    for (int64_t k = 0; k < vectors; ++k) greatest[k] = hn::LoadU(d, first + begin + k * lanes);
    while (cell.advance())
      for (int64_t k = 0; k < vectors; ++k) {
        const auto value = hn::LoadU(d, first + cell.offset() + begin + k * lanes);
        greatest[k] = hn::IfThenElse(is_greater(value, greatest[k]), value, greatest[k]);
      }
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
    for (CellWalk cell(window); cell.advance();) {
      const auto place = hn::Set(indices, static_cast<Index>(cell.index()));
      for (int64_t k = 0; k < vectors; ++k) {
        const auto value = hn::LoadU(d, first + cell.offset() + begin + k * lanes);
        const auto is_new = is_greater(value, greatest[k]);
        greatest[k] = hn::IfThenElse(is_new, value, greatest[k]);
        places[k] = hn::IfThenElse(hn::RebindMask(indices, is_new), place, places[k]);
      }
    }
    // A sum begins as 0 and so is never -0: adding 0 leaves it as it is.
    CellWalk cell(window);
    do {
      const auto place = hn::Set(indices, static_cast<Index>(cell.index()));
      for (int64_t k = 0; k < vectors; ++k) {
        const auto at = begin + k * lanes;
        const auto is_here = hn::RebindMask(d, hn::Eq(places[k], place));
        const auto share = hn::IfThenElseZero(is_here, hn::LoadU(d, gradients + at));
        auto* sum = sums + cell.offset() + at;
        hn::StoreU(hn::Add(hn::LoadU(d, sum), share), d, sum);
      }
    } while (cell.advance());
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
    CellWalk cell(window);
    do
      for (int64_t k = 0; k < vectors; ++k)
        sums[k] = hn::Add(sums[k], hn::LoadU(d, first + cell.offset() + begin + k * lanes));
    while (cell.advance());
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
    CellWalk cell(window);
    do
      for (int64_t k = 0; k < vectors; ++k) {
        auto* sum = sums + cell.offset() + begin + k * lanes;
        hn::StoreU(hn::Add(hn::LoadU(d, sum), shares[k]), d, sum);
      }
    while (cell.advance());
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

template <class T>
void average(const PoolCells& window, const void* first, void* out) {
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
