#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/functions.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/composed_functions.hpp"
#include "troupe/devices/cpu/vector/functions-inl.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Zeros and NaN stay what they are.
template <class D, class V>
HWY_INLINE V sign_of(D d, V x) {
  const auto zero = hn::Zero(d), one = hn::Set(d, hn::TFromD<D>(1));
  return hn::IfThenElse(hn::Gt(x, zero), one, hn::IfThenElse(hn::Lt(x, zero), hn::Neg(one), x));
}

template <Function function>
struct FunctionOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (function == Function::exp) return exp_of(d, x);
    else if constexpr (function == Function::log) return log_of(d, x);
    else if constexpr (function == Function::tanh) return tanh_of(d, x);
    else if constexpr (function == Function::sigmoid) return sigmoid_of(d, x);
    else if constexpr (function == Function::sqrt) return sqrt_of(d, x);
    else if constexpr (function == Function::rsqrt)
      return hn::Div(hn::Set(d, hn::TFromD<D>(1)), sqrt_of(d, x));
    else if constexpr (function == Function::square) return hn::Mul(x, x);
    else if constexpr (function == Function::neg) return hn::Neg(x);
    else if constexpr (function == Function::abs) return hn::Abs(x);
    // Scalars lose the sign of 0.
    else if constexpr (function == Function::floor) return hn::CopySign(hn::Floor(x), x);
    else if constexpr (function == Function::ceil) return hn::CopySign(hn::Ceil(x), x);
    else if constexpr (function == Function::round) return hn::Round(x);
    else if constexpr (function == Function::sign) return sign_of(d, x);
    // Not Max(), which need not keep NaN.
    else return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
  }
};

template <Function function, class T, bool streams>
constexpr UnaryLoop loop_of = compute_function<FunctionOf<function>, T, streams>;

template <class T, bool streams>
UnaryLoop find_function_loop_of(Function function) {
  switch (function) {
    case Function::exp: return loop_of<Function::exp, T, streams>;
    case Function::log: return loop_of<Function::log, T, streams>;
    case Function::tanh: return loop_of<Function::tanh, T, streams>;
    case Function::sigmoid: return loop_of<Function::sigmoid, T, streams>;
    case Function::sqrt: return loop_of<Function::sqrt, T, streams>;
    case Function::rsqrt: return loop_of<Function::rsqrt, T, streams>;
    case Function::square: return loop_of<Function::square, T, streams>;
    case Function::neg: return loop_of<Function::neg, T, streams>;
    case Function::abs: return loop_of<Function::abs, T, streams>;
    case Function::relu: return loop_of<Function::relu, T, streams>;
    case Function::floor: return loop_of<Function::floor, T, streams>;
    case Function::ceil: return loop_of<Function::ceil, T, streams>;
    case Function::round: return loop_of<Function::round, T, streams>;
    case Function::sign: return loop_of<Function::sign, T, streams>;
    default: return nullptr;
  }
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
  auto loop = HWY_DYNAMIC_DISPATCH(find_function_loop)(function, dtype, streams);
  return loop ? loop : composed_function_loop(function, dtype, streams);
}

}  // namespace troupe::cpu::vector
#endif
