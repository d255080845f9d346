#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/product.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Sets so many vectors of the row.
template <int64_t vectors, class D32>
void multiply_vectors(D32 d, const RowProduct& p, int64_t column) {
  const auto lanes = lanes_of(d);
  hn::Vec<D32> sums[vectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  const auto *factor = p.factors, *row = p.rows + column;
  for (int64_t k = 0; k < p.inner; ++k, factor += p.factor_stride, row += p.row_stride) {
    const auto x = hn::Set(d, *factor);
    for (int64_t i = 0; i < vectors; ++i)
      sums[i] = hn::Add(sums[i], hn::Mul(x, hn::LoadU(d, row + i * lanes)));
  }
  for (int64_t i = 0; i < vectors; ++i) hn::StoreU(sums[i], d, p.out + column + i * lanes);
}

void multiply_row(const RowProduct& p) {
  const hn::ScalableTag<uint32_t> d;
  const hn::CappedTag<uint32_t, 1> one;
  constexpr int64_t vectors = 4;
  const auto lanes = lanes_of(d);
  int64_t column = 0;
  for (; column + vectors * lanes <= p.columns; column += vectors * lanes)
    multiply_vectors<vectors>(d, p, column);
  for (; column + lanes <= p.columns; column += lanes) multiply_vectors<1>(d, p, column);
  for (; column < p.columns; ++column) multiply_vectors<1>(one, p, column);
}

MultiplyRow find_multiply_row() { return multiply_row; }

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_multiply_row);

MultiplyRow multiply_row_loop() { return HWY_DYNAMIC_DISPATCH(find_multiply_row)(); }

}  // namespace troupe::cpu::vector
#endif
