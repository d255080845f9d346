#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/functions.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/functions-inl.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

template <Function function, class D, class V>
HWY_INLINE V function_of(D d, V x) {
  if constexpr (function == Function::exp) return exp_of(d, x);
  else if constexpr (function == Function::log) return log_of(d, x);
  else if constexpr (function == Function::tanh) return tanh_of(d, x);
  else if constexpr (function == Function::sigmoid) return sigmoid_of(d, x);
  else if constexpr (function == Function::sqrt) return hn::Sqrt(x);
  else if constexpr (function == Function::rsqrt)
    return hn::Div(hn::Set(d, hn::TFromD<D>(1)), hn::Sqrt(x));
  else if constexpr (function == Function::square) return hn::Mul(x, x);
  else if constexpr (function == Function::neg) return hn::Neg(x);
  else if constexpr (function == Function::abs) return hn::Abs(x);
  // Not Max(), which need not keep NaN.
  else return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
}

/// A part of a vector is computed as a whole one is: the same bits.
template <Function function, class T>
void compute_some(T* to, const T* from, int64_t count) {
  const hn::ScalableTag<T> d;
  store_some(function_of<function>(d, load_some(d, from, count)), d, to, count);
}

template <Function function, class T, bool streams>
void compute_function(void* out, const void* x, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(x);
  int64_t i = streams ? count_unaligned(d, to, count) : 0;
  if (i > 0) compute_some<function>(to, from, i);
  for (; i + lanes <= count; i += lanes) {
    const auto y = function_of<function>(d, hn::LoadU(d, from + i));
    if constexpr (streams) hn::Stream(y, d, to + i);
    else hn::StoreU(y, d, to + i);
  }
  if (i < count) compute_some<function>(to + i, from + i, count - i);
  if constexpr (streams) hwy::FlushStream();
}

template <class T, bool streams>
UnaryLoop find_function_loop_of(Function function) {
  switch (function) {
    case Function::exp: return compute_function<Function::exp, T, streams>;
    case Function::log: return compute_function<Function::log, T, streams>;
    case Function::tanh: return compute_function<Function::tanh, T, streams>;
    case Function::sigmoid: return compute_function<Function::sigmoid, T, streams>;
    case Function::sqrt: return compute_function<Function::sqrt, T, streams>;
    case Function::rsqrt: return compute_function<Function::rsqrt, T, streams>;
    case Function::square: return compute_function<Function::square, T, streams>;
    case Function::neg: return compute_function<Function::neg, T, streams>;
    case Function::abs: return compute_function<Function::abs, T, streams>;
    case Function::relu: return compute_function<Function::relu, T, streams>;
  }
  return nullptr;
}

UnaryLoop find_function_loop(Function function, DType dtype, bool streams) {
  if (dtype == DType::float32)
    return streams ? find_function_loop_of<float, true>(function)
                   : find_function_loop_of<float, false>(function);
  if (dtype == DType::float64)
    return streams ? find_function_loop_of<double, true>(function)
                   : find_function_loop_of<double, false>(function);
  return nullptr;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_function_loop);

UnaryLoop function_loop(Function function, DType dtype, bool streams) {
  return HWY_DYNAMIC_DISPATCH(find_function_loop)(function, dtype, streams);
}

}  // namespace troupe::cpu::vector
#endif
