#include "troupe/devices/cpu/vector/softmax.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "troupe/devices/cpu/vector/functions-inl.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// As load_some() and store_some(), by the instructions for it where there are.
constexpr bool has_masked_memory = HWY_TARGET <= HWY_AVX2;

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const T* from, int64_t count) {
  if constexpr (has_masked_memory)
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
  else return load_some(d, from, count);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* to, int64_t count) {
  if constexpr (has_masked_memory)
    hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d, to);
  else store_some(v, d, to, count);
}

/// Only the first lanes of the vector, and elsewhere what is given.
template <class D, class V>
HWY_INLINE V only_first(D d, V v, int64_t count, hn::TFromD<D> elsewhere) {
  return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(count)), v, hn::Set(d, elsewhere));
}

/// The greatest element. Of a row with NaN it may be any: its sum is NaN then.
template <class T>
HWY_INLINE T greatest_of(const T* row, int64_t size) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto greatest = hn::Set(d, row[0]), other = greatest;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    greatest = hn::Max(greatest, hn::LoadU(d, row + i));
    other = hn::Max(other, hn::LoadU(d, row + i + lanes));
  }
  for (; i < size; i += lanes) {
    const auto some = std::min(lanes, size - i);
    greatest = hn::Max(greatest, only_first(d, load_first(d, row + i, some), some, row[0]));
  }
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(greatest, other)));
}

/// The sum of e^(x - greatest) over the row, each of which is kept in `out`, if given.
template <class T>
HWY_INLINE T sum_exponentials(T* out, const T* row, int64_t size, T greatest) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  const auto shift = hn::Set(d, greatest);
  auto sum = hn::Zero(d), other = sum;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const auto e = exp_of_negative(d, hn::Sub(hn::LoadU(d, row + i), shift));
    const auto f = exp_of_negative(d, hn::Sub(hn::LoadU(d, row + i + lanes), shift));
    sum = hn::Add(sum, e);
    other = hn::Add(other, f);
    if (!out) continue;
    hn::StoreU(e, d, out + i);
    hn::StoreU(f, d, out + i + lanes);
  }
  for (; i < size; i += lanes) {
    const auto some = std::min(lanes, size - i);
    const auto e = exp_of_negative(d, hn::Sub(load_first(d, row + i, some), shift));
    sum = hn::Add(sum, only_first(d, e, some, T(0)));
    if (out) store_first(e, d, out + i, some);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, other)));
}

/// Rows that fit into a vector, which they do not leave on the way.
template <class T>
void compute_short_softmax(T* out, const T* logits, int64_t rows, int64_t size) {
  const hn::ScalableTag<T> d;
  for (auto at = int64_t{0}; at < rows * size; at += size) {
    const auto row = load_first(d, logits + at, size);
    const auto greatest = hn::MaxOfLanes(d, only_first(d, row, size, logits[at]));
    const auto e = exp_of_negative(d, hn::Sub(row, greatest));
    const auto sum = hn::SumOfLanes(d, only_first(d, e, size, T(0)));
    store_first(hn::Mul(e, hn::Div(hn::Set(d, T(1)), sum)), d, out + at, size);
  }
}

template <class T>
void compute_softmax(void* out, const void* logits, int64_t rows, int64_t size) {
  auto* to = static_cast<T*>(out);
  const auto* row = static_cast<const T*>(logits);
  if (size <= lanes_of(hn::ScalableTag<T>())) return compute_short_softmax(to, row, rows, size);
  for (int64_t i = 0; i < rows; ++i, row += size, to += size) {
    const auto sum = sum_exponentials(to, row, size, greatest_of(row, size));
    const auto factor = T(1) / sum;
    for (int64_t j = 0; j < size; ++j) to[j] *= factor;
  }
}

template <class T>
void compute_log_softmax(void* out, const void* logits, int64_t rows, int64_t size) {
  auto* to = static_cast<T*>(out);
  const auto* row = static_cast<const T*>(logits);
  for (int64_t i = 0; i < rows; ++i, row += size, to += size) {
    const auto greatest = greatest_of(row, size);
    const auto log_sum = std::log(sum_exponentials<T>(nullptr, row, size, greatest));
    // Not in one: the sum is small beside a large greatest element.
    for (int64_t j = 0; j < size; ++j) to[j] = (row[j] - greatest) - log_sum;
  }
}

template <class T>
SoftmaxLoop find_softmax_loop_of(bool is_log) {
  return is_log ? compute_log_softmax<T> : compute_softmax<T>;
}

/// What a row of labels and logits sums up to.
template <class T>
struct RowSums {
  T exponentials, labels, products;  // of each label and x - greatest
};

/// Keeps e^(x - greatest) in `out`.
template <class T>
HWY_INLINE RowSums<T> sum_row(T* out, const T* row, const T* labels, int64_t size, T greatest) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  const auto shift = hn::Set(d, greatest);
  auto sum = hn::Zero(d), label_sum = sum, products = sum;
  for (int64_t i = 0; i < size; i += lanes) {
    const auto some = std::min(lanes, size - i);
    const auto is_whole = some == lanes;
    const auto x = is_whole ? hn::LoadU(d, row + i) : load_first(d, row + i, some);
    const auto label = is_whole ? hn::LoadU(d, labels + i) : load_first(d, labels + i, some);
    const auto shifted = hn::Sub(x, shift);
    const auto e = exp_of_negative(d, shifted), product = hn::Mul(label, shifted);
    label_sum = hn::Add(label_sum, label);
    if (is_whole) {
      hn::StoreU(e, d, out + i);
      sum = hn::Add(sum, e);
      products = hn::Add(products, product);
    } else {
      store_first(e, d, out + i, some);
      sum = hn::Add(sum, only_first(d, e, some, T(0)));
      products = hn::Add(products, only_first(d, product, some, T(0)));
    }
  }
  const auto total = [&](auto v) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, v)); };
  return {total(sum), total(label_sum), total(products)};
}

template <class T>
void cross_dense(void* loss, void* backprop, const void* logits, const void* labels, int64_t size) {
  auto* out = static_cast<T*>(backprop);
  const auto *row = static_cast<const T*>(logits), *label = static_cast<const T*>(labels);
  const auto sums = sum_row(out, row, label, size, greatest_of(row, size));
  *static_cast<T*>(loss) = std::log(sums.exponentials) * sums.labels - sums.products;
  const auto factor = T(1) / sums.exponentials;
  for (int64_t j = 0; j < size; ++j) out[j] = out[j] * factor - label[j];
}

template <class T>
void cross_sparse(void* loss, void* backprop, const void* logits, int64_t label, int64_t size) {
  auto* out = static_cast<T*>(backprop);
  const auto* row = static_cast<const T*>(logits);
  const auto greatest = greatest_of(row, size), logit = row[label];
  const auto sum = sum_exponentials(out, row, size, greatest);
  *static_cast<T*>(loss) = std::log(sum) - (logit - greatest);
  const auto factor = T(1) / sum;
  for (int64_t j = 0; j < size; ++j) out[j] *= factor;
  out[label] -= T(1);
}

CrossEntropyLoops find_cross_entropy_loops(DType dtype) {
  if (dtype == DType::float32) return {cross_dense<float>, cross_sparse<float>};
  if (dtype == DType::float64) return {cross_dense<double>, cross_sparse<double>};
  return {};
}

SoftmaxLoop find_softmax_loop(DType dtype, bool is_log) {
  if (dtype == DType::float32) return find_softmax_loop_of<float>(is_log);
  if (dtype == DType::float64) return find_softmax_loop_of<double>(is_log);
  return nullptr;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_softmax_loop);
HWY_EXPORT(find_cross_entropy_loops);

SoftmaxLoop softmax_loop(DType dtype, bool is_log) {
  return HWY_DYNAMIC_DISPATCH(find_softmax_loop)(dtype, is_log);
}

CrossEntropyLoops cross_entropy_loops(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(find_cross_entropy_loops)(dtype);
}

}  // namespace troupe::cpu::vector
#endif
