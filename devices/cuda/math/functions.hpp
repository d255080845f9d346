#pragma once

// One function of an element or two for each element-wise op, under the op's name: of all kernels,
// and of the source of fused ones. No header is included but this one, as in it.
#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

// Each `op` is called with elements as they are computed, and returns such a one.
#define TROUPE_UNARY(op, ...)             \
  struct op {                             \
    template <class T>                    \
    TROUPE_BOTH T operator()(T x) const { \
      __VA_ARGS__                         \
    }                                     \
  };
#define TROUPE_BINARY(op, ...)                 \
  struct op {                                  \
    template <class T>                         \
    TROUPE_BOTH T operator()(T x, T y) const { \
      __VA_ARGS__                              \
    }                                          \
  };
/// With the operands (gradient, value), or (value of the function, gradient) where CPUs have that.
#define TROUPE_TEST(op, ...)                      \
  struct op {                                     \
    template <class T>                            \
    TROUPE_BOTH bool operator()(T x, T y) const { \
      __VA_ARGS__                                 \
    }                                             \
  };

/// The number of bits as a shift of a T: as CPUs have it where that is undefined.
template <class T>
TROUPE_BOTH inline int shift_of(T bits) {
  constexpr int most = 8 * sizeof(T) - 1;
  if constexpr (T(-1) < T(0))
    if (bits < T(0)) return 0;
  return bits > T(most) ? most : static_cast<int>(bits);
}

// -- of one number

TROUPE_UNARY(Abs, {
  if constexpr (is_floating<T>) return fabs(x);
  else return x < T(0) ? static_cast<T>(T(0) - wrap(x)) : x;
})
TROUPE_UNARY(Neg, { return static_cast<T>(-wrap(x)); })
TROUPE_UNARY(Square, { return static_cast<T>(wrap(x) * wrap(x)); })
// NaN compares false with everything and stays what it is.
TROUPE_UNARY(Sign, { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; })
TROUPE_UNARY(Relu, { return x < T(0) ? T(0) : x; })
TROUPE_UNARY(Relu6, { return x < T(0) ? T(0) : x > T(6) ? T(6) : x; })
TROUPE_UNARY(Round, {
  if constexpr (is_floating<T>) return rint(x);
  else return x;
})

TROUPE_UNARY(Acos, { return acos(x); })
TROUPE_UNARY(Acosh, { return acosh(x); })
TROUPE_UNARY(Asin, { return asin(x); })
TROUPE_UNARY(Asinh, { return asinh(x); })
TROUPE_UNARY(Atan, { return atan(x); })
TROUPE_UNARY(Atanh, { return atanh(x); })
TROUPE_UNARY(Ceil, { return ceil(x); })
TROUPE_UNARY(Cos, { return cos(x); })
TROUPE_UNARY(Cosh, { return cosh(x); })
TROUPE_UNARY(Elu, { return x < T(0) ? expm1(x) : x; })
TROUPE_UNARY(Erf, { return erf(x); })
TROUPE_UNARY(Erfc, { return erfc(x); })
TROUPE_UNARY(Exp, { return exp(x); })
TROUPE_UNARY(Expm1, { return expm1(x); })
TROUPE_UNARY(Floor, { return floor(x); })
TROUPE_UNARY(Lgamma, { return lgamma(x); })
TROUPE_UNARY(Log, { return log(x); })
TROUPE_UNARY(Log1p, { return log1p(x); })
TROUPE_UNARY(Reciprocal, { return T(1) / x; })
TROUPE_UNARY(Inv, { return T(1) / x; })
TROUPE_UNARY(Rint, { return rint(x); })
TROUPE_UNARY(Rsqrt, { return T(1) / sqrt(x); })
TROUPE_UNARY(Selu, {
  return x < T(0) ? T(1.7580993408473768599402175208123) * expm1(x)
                  : T(1.0507009873554804934193349852946) * x;
})
TROUPE_UNARY(Sigmoid, { return T(1) / (T(1) + exp(-x)); })
TROUPE_UNARY(Sin, { return sin(x); })
TROUPE_UNARY(Sinh, { return sinh(x); })
// exp() of what is at most 0: neither overflows nor loses a small result.
TROUPE_UNARY(Softplus, { return (x < T(0) ? T(0) : x) + log1p(exp(-fabs(x))); })
TROUPE_UNARY(Softsign, { return x / (fabs(x) + T(1)); })
TROUPE_UNARY(Sqrt, { return sqrt(x); })
TROUPE_UNARY(Tan, { return tan(x); })
TROUPE_UNARY(Tanh, { return tanh(x); })

TROUPE_UNARY(Invert, { return static_cast<T>(~x); })

// -- of two numbers

TROUPE_BINARY(Add, { return static_cast<T>(wrap(x) + wrap(y)); })
TROUPE_BINARY(AddV2, { return static_cast<T>(wrap(x) + wrap(y)); })
TROUPE_BINARY(Sub, { return static_cast<T>(wrap(x) - wrap(y)); })
TROUPE_BINARY(Mul, { return static_cast<T>(wrap(x) * wrap(y)); })
TROUPE_BINARY(SquaredDifference, {
  auto difference = wrap(x) - wrap(y);
  return static_cast<T>(difference * difference);
})
// Both propagate a NaN of either operand.
TROUPE_BINARY(Maximum, { return x > y || x != x ? x : y; })
TROUPE_BINARY(Minimum, { return x < y || x != x ? x : y; })

TROUPE_BINARY(Atan2, { return atan2(x, y); })
TROUPE_BINARY(Div, { return x / y; })
TROUPE_BINARY(RealDiv, { return x / y; })
TROUPE_BINARY(DivNoNan, { return y == T(0) ? T(0) : x / y; })
TROUPE_BINARY(MulNoNan, { return y == T(0) ? T(0) : x * y; })
TROUPE_BINARY(Pow, { return pow(x, y); })
TROUPE_BINARY(Xdivy, { return x == T(0) ? T(0) : x / y; })
TROUPE_BINARY(Xlogy, { return x == T(0) ? T(0) : x * log(y); })
TROUPE_BINARY(FloorDiv, { return floor(x / y); })
TROUPE_BINARY(TruncateDiv, { return trunc(x / y); })
TROUPE_BINARY(TruncateMod, { return fmod(x, y); })
TROUPE_BINARY(Mod, { return fmod(x, y); })
TROUPE_BINARY(FloorMod, {
  auto remainder = fmod(x, y);
  return remainder != T(0) && (remainder < T(0)) != (y < T(0)) ? remainder + y : remainder;
})

TROUPE_BINARY(BitwiseAnd, { return static_cast<T>(x & y); })
TROUPE_BINARY(BitwiseOr, { return static_cast<T>(x | y); })
TROUPE_BINARY(BitwiseXor, { return static_cast<T>(x ^ y); })
TROUPE_BINARY(LeftShift, { return static_cast<T>(wrap(x) << shift_of(y)); })
TROUPE_BINARY(RightShift, { return static_cast<T>(x >> shift_of(y)); })

// Gradients of the result x of a function, at which the gradient y arrived. An infinite derivative,
// as that of sqrt at 0, does not count where y is 0.
TROUPE_BINARY(TanhGrad, { return y * (T(1) - x * x); })
TROUPE_BINARY(SigmoidGrad, { return y * x * (T(1) - x); })
TROUPE_BINARY(SqrtGrad, { return y == T(0) ? T(0) : y * T(0.5) / x; })
TROUPE_BINARY(RsqrtGrad, { return y == T(0) ? T(0) : y * T(-0.5) * x * x * x; })
TROUPE_BINARY(InvGrad, { return y == T(0) ? T(0) : -y * x * x; })
TROUPE_BINARY(ReciprocalGrad, { return y == T(0) ? T(0) : -y * x * x; })
// Gradients x that arrived at a function of y, or with the result y.
TROUPE_BINARY(ReluGrad, { return y > T(0) ? x : T(0); })
TROUPE_BINARY(Relu6Grad, { return y > T(0) && y < T(6) ? x : T(0); })
TROUPE_BINARY(EluGrad, { return y < T(0) ? (y + T(1)) * x : x; })
TROUPE_BINARY(SeluGrad, {
  return x * (y < T(0) ? y + T(1.7580993408473768599402175208123)
                       : T(1.0507009873554804934193349852946));
})
TROUPE_BINARY(SoftplusGrad, { return x / (exp(-y) + T(1)); })
TROUPE_BINARY(SoftsignGrad, {
  auto root = fabs(y) + T(1);
  return x / (root * root);
})
/// Of a bias for each column.
TROUPE_BINARY(BiasAdd, { return static_cast<T>(wrap(x) + wrap(y)); })

// -- tests of two

TROUPE_TEST(Equal, { return x == y; })
TROUPE_TEST(NotEqual, { return x != y; })
TROUPE_TEST(Less, { return x < y; })
TROUPE_TEST(LessEqual, { return x <= y; })
TROUPE_TEST(Greater, { return x > y; })
TROUPE_TEST(GreaterEqual, { return x >= y; })

#undef TROUPE_UNARY
#undef TROUPE_BINARY
#undef TROUPE_TEST

}  // namespace troupe::cuda
