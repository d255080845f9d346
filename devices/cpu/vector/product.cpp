#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/product.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;

/// Columns of the result that are computed at once, and vectors of each.
constexpr int64_t columns_each = 4, vectors_each = 2;

/// How much of the inner size is computed at once: so much of the rows of a tile stays in the
/// cache.
constexpr int64_t inner_each = 256;

/// The rows of `a` that a tile needs, side by side, with zeros where there are no more.
struct Rows {
  alignas(64) double elements[inner_each * vectors_each * hn::MaxLanes(D())];

  Rows(const ProductOfDoubles& p, int64_t first, int64_t count, int64_t whole) {
    const D d;
    const auto lanes = lanes_of(d);
    for (int64_t k = 0; k < p.inner; ++k)
      for (int64_t i = 0; i < whole; i += lanes) {
        const auto* from = p.a + k * p.a_stride + first + i;
        const auto rest = count - i;
        hn::Store(
            rest >= lanes ? hn::LoadU(d, from) : load_some(d, from, std::max<int64_t>(0, rest)), d,
            elements + k * whole + i);
      }
  }
};

template <int64_t vectors, int64_t columns>
void subtract_tile(
    const ProductOfDoubles& p, const Rows& rows, double* out, const double* b, int64_t count) {
  const D d;
  const auto lanes = lanes_of(d);
  const auto* a = rows.elements;
  hn::Vec<D> sums[columns][vectors];
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < vectors; ++i) sums[j][i] = hn::Zero(d);
  for (int64_t k = 0; k < p.inner; ++k, a += vectors * lanes, b += p.b_row_stride) {
    hn::Vec<D> x[vectors];
    for (int64_t i = 0; i < vectors; ++i) x[i] = hn::Load(d, a + i * lanes);
    for (int64_t j = 0; j < columns; ++j) {
      const auto y = hn::Set(d, b[j * p.b_column_stride]);
      for (int64_t i = 0; i < vectors; ++i) sums[j][i] = hn::MulAdd(x[i], y, sums[j][i]);
    }
  }
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < vectors; ++i) {
      auto* to = out + j * p.out_stride + i * lanes;
      const auto rest = std::min(lanes, count - i * lanes);
      if (rest == lanes) hn::StoreU(hn::Sub(hn::LoadU(d, to), sums[j][i]), d, to);
      else if (rest > 0) store_some(hn::Sub(load_some(d, to, rest), sums[j][i]), d, to, rest);
    }
}

template <int64_t vectors>
void subtract_rows(const ProductOfDoubles& p, int64_t first, int64_t count) {
  const Rows rows(p, first, count, vectors * lanes_of(D()));
  int64_t column = 0;
  for (; column + columns_each <= p.columns; column += columns_each)
    subtract_tile<vectors, columns_each>(
        p, rows, p.out + first + column * p.out_stride, p.b + column * p.b_column_stride, count);
  for (; column < p.columns; ++column)
    subtract_tile<vectors, 1>(
        p, rows, p.out + first + column * p.out_stride, p.b + column * p.b_column_stride, count);
}

void subtract_product(const ProductOfDoubles& whole) {
  const auto rows_each = vectors_each * lanes_of(D());
  for (int64_t begin = 0; begin < whole.inner; begin += inner_each) {
    auto p = whole;
    p.inner = std::min(inner_each, whole.inner - begin);
    p.a += begin * p.a_stride;
    p.b += begin * p.b_row_stride;
    for (int64_t row = 0; row < p.rows; row += rows_each)
      subtract_rows<vectors_each>(p, row, std::min(rows_each, p.rows - row));
  }
}

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

SubtractProduct find_subtract_product() { return subtract_product; }

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_subtract_product);
HWY_EXPORT(find_multiply_row);

MultiplyRow multiply_row_loop() { return HWY_DYNAMIC_DISPATCH(find_multiply_row)(); }

SubtractProduct subtract_product_loop() { return HWY_DYNAMIC_DISPATCH(find_subtract_product)(); }

}  // namespace troupe::cpu::vector
#endif
