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

/// The greatest element. Of a row with NaN it may be any: its sum is NaN then.
template <class T>
T greatest_of(const T* row, int64_t size) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto greatest = hn::Set(d, row[0]), other = greatest;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    greatest = hn::Max(greatest, hn::LoadU(d, row + i));
    other = hn::Max(other, hn::LoadU(d, row + i + lanes));
  }
  auto result = hn::GetLane(hn::MaxOfLanes(d, hn::Max(greatest, other)));
  for (; i < size; ++i) result = std::max(result, row[i]);
  return result;
}

/// The sum of e^(x - greatest) over the row, each of which is kept in `out`, if given.
template <class T>
T sum_exponentials(T* out, const T* row, int64_t size, T greatest) {
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
    const auto e = exp_of_negative(d, hn::Sub(load_some(d, row + i, some), shift));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(some)), e));
    if (out) store_some(e, d, out + i, some);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, other)));
}

template <class T>
void compute_softmax(void* out, const void* logits, int64_t rows, int64_t size) {
  auto* to = static_cast<T*>(out);
  const auto* row = static_cast<const T*>(logits);
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

SoftmaxLoop softmax_loop(DType dtype, bool is_log) {
  return HWY_DYNAMIC_DISPATCH(find_softmax_loop)(dtype, is_log);
}

}  // namespace troupe::cpu::vector
#endif
