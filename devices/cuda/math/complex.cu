#include "troupe/devices/cuda/math/complex_inverses.hpp"
#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/functions.hpp"

namespace troupe::cuda {
namespace {

using complex_numbers::Complex;

// Of most ops, functions.hpp has the function. Those of complex numbers alone, and those with
// conjugates or magnitudes where real numbers have none, are here. Gradients take
// (result, gradient).
#define TROUPE_OF_COMPLEX_1(op, Result, ...)            \
  struct op {                                           \
    template <class R>                                  \
    TROUPE_BOTH Result operator()(Complex<R> z) const { \
      __VA_ARGS__                                       \
    }                                                   \
  };
#define TROUPE_OF_COMPLEX_2(op, ...)                                      \
  struct op {                                                             \
    template <class R>                                                    \
    TROUPE_BOTH Complex<R> operator()(Complex<R> x, Complex<R> y) const { \
      __VA_ARGS__                                                         \
    }                                                                     \
  };
TROUPE_OF_COMPLEX_1(Conj, Complex<R>, { return conj(z); })
TROUPE_OF_COMPLEX_1(RoundParts, Complex<R>, { return {::rint(z.real), ::rint(z.imag)}; })
TROUPE_OF_COMPLEX_1(Direction, Complex<R>, {
  auto size = magnitude(z);
  if (z == Complex<R>(0)) return z;
  return {z.real / size, z.imag / size};
})
TROUPE_OF_COMPLEX_1(Real, R, { return z.real; })
TROUPE_OF_COMPLEX_1(Imag, R, { return z.imag; })
TROUPE_OF_COMPLEX_1(Angle, R, { return angle(z); })
TROUPE_OF_COMPLEX_1(ComplexAbs, R, { return magnitude(z); })
TROUPE_OF_COMPLEX_2(DifferenceSquared, {
  auto difference = x - y;
  return difference * conj(difference);
})
// As for real numbers, an infinite derivative does not count where no gradient arrived.
TROUPE_OF_COMPLEX_2(GradientOfSqrt, {
  return y == Complex<R>(0) ? y : y * Complex<R>(0.5) / conj(x);
})
TROUPE_OF_COMPLEX_2(GradientOfRsqrt, {
  auto conjugate = conj(x);
  if (y == Complex<R>(0)) return y;
  return y * Complex<R>(-0.5) * conjugate * conjugate * conjugate;
})
TROUPE_OF_COMPLEX_2(GradientOfInverse, {
  return y == Complex<R>(0) ? y : -y * conj(x) * conj(x);
})

struct MakeComplex {
  template <class R>
  TROUPE_BOTH Complex<R> operator()(R real, R imag) const {
    return {real, imag};
  }
};

/// One element after the other: each is as long as several real ones.
template <class F, class T, class R>
__global__ void each_kernel(R* out, const T* x, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step()) out[i] = F{}(x[i]);
}

template <class F, class T, class R>
void launch_each(void* out, const void* x, int64_t count, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count), block_threads, each_kernel<F, T, R>, static_cast<R*>(out),
      static_cast<const T*>(x), count);
}

#define TROUPE_COMPLEX(launch, op, function)                          \
  {op, Element::complex64, launch<function, Complex64, Complex64>}, { \
    op, Element::complex128, launch<function, Complex128, Complex128> \
  }
#define TROUPE_FROM_COMPLEX(launch, op, function, part32, part64)  \
  {op, Element::complex64, launch<function, Complex64, part32>}, { \
    op, Element::complex128, launch<function, Complex128, part64>  \
  }

constexpr UnaryEntry unary[] = {
    TROUPE_COMPLEX(launch_each, "Acos", Acos),
    TROUPE_COMPLEX(launch_each, "Acosh", Acosh),
    TROUPE_COMPLEX(launch_each, "Asin", Asin),
    TROUPE_COMPLEX(launch_each, "Asinh", Asinh),
    TROUPE_COMPLEX(launch_each, "Atan", Atan),
    TROUPE_COMPLEX(launch_each, "Atanh", Atanh),
    TROUPE_COMPLEX(launch_each, "Conj", Conj),
    TROUPE_COMPLEX(launch_each, "Cos", Cos),
    TROUPE_COMPLEX(launch_each, "Cosh", Cosh),
    TROUPE_COMPLEX(launch_each, "Exp", Exp),
    TROUPE_COMPLEX(launch_each, "Expm1", Expm1),
    TROUPE_COMPLEX(launch_each, "Log", Log),
    TROUPE_COMPLEX(launch_each, "Log1p", Log1p),
    TROUPE_COMPLEX(launch_each, "Neg", Neg),
    TROUPE_COMPLEX(launch_each, "Reciprocal", Reciprocal),
    TROUPE_COMPLEX(launch_each, "Round", RoundParts),
    TROUPE_COMPLEX(launch_each, "Rsqrt", Rsqrt),
    TROUPE_COMPLEX(launch_each, "Sigmoid", Sigmoid),
    TROUPE_COMPLEX(launch_each, "Sign", Direction),
    TROUPE_COMPLEX(launch_each, "Sin", Sin),
    TROUPE_COMPLEX(launch_each, "Sinh", Sinh),
    TROUPE_COMPLEX(launch_each, "Sqrt", Sqrt),
    TROUPE_COMPLEX(launch_each, "Square", Square),
    TROUPE_COMPLEX(launch_each, "Tan", Tan),
    TROUPE_COMPLEX(launch_each, "Tanh", Tanh),
};
constexpr UnaryEntry parts[] = {
    TROUPE_FROM_COMPLEX(launch_each, "Real", Real, float, double),
    TROUPE_FROM_COMPLEX(launch_each, "Imag", Imag, float, double),
    TROUPE_FROM_COMPLEX(launch_each, "Angle", Angle, float, double),
    TROUPE_FROM_COMPLEX(launch_each, "ComplexAbs", ComplexAbs, float, double),
};
constexpr BinaryEntry binary[] = {
    TROUPE_COMPLEX(launch_binary, "Add", Add),
    TROUPE_COMPLEX(launch_binary, "Sub", Sub),
    TROUPE_COMPLEX(launch_binary, "Mul", Mul),
    TROUPE_COMPLEX(launch_binary, "Div", Div),
    TROUPE_COMPLEX(launch_costly, "DivNoNan", DivNoNan),
    TROUPE_COMPLEX(launch_costly, "MulNoNan", MulNoNan),
    TROUPE_COMPLEX(launch_costly, "Pow", Pow),
    TROUPE_COMPLEX(launch_costly, "SquaredDifference", DifferenceSquared),
    TROUPE_COMPLEX(launch_costly, "Xdivy", Xdivy),
    TROUPE_COMPLEX(launch_costly, "Xlogy", Xlogy),
};
constexpr BinaryEntry pairwise[] = {
    TROUPE_COMPLEX(launch_pairwise, "InvGrad", GradientOfInverse),
    TROUPE_COMPLEX(launch_pairwise, "RsqrtGrad", GradientOfRsqrt),
    TROUPE_COMPLEX(launch_pairwise, "SigmoidGrad", SigmoidGrad),
    TROUPE_COMPLEX(launch_pairwise, "SqrtGrad", GradientOfSqrt),
    TROUPE_COMPLEX(launch_pairwise, "TanhGrad", TanhGrad),
};
constexpr BinaryEntry comparisons[] = {
    TROUPE_FROM_COMPLEX(launch_costly, "Equal", Equal, bool, bool),
    TROUPE_FROM_COMPLEX(launch_costly, "NotEqual", NotEqual, bool, bool),
};
constexpr BinaryEntry making[] = {
    {"Complex", Element::float32, launch_binary<MakeComplex, float, Complex64>},
    {"Complex", Element::float64, launch_binary<MakeComplex, double, Complex128>},
};

}  // namespace

std::span<const UnaryEntry> complex_unary_entries() { return unary; }
std::span<const UnaryEntry> part_entries() { return parts; }
std::span<const BinaryEntry> complex_binary_entries() { return binary; }
std::span<const BinaryEntry> complex_pairwise_entries() { return pairwise; }
std::span<const BinaryEntry> complex_comparison_entries() { return comparisons; }
std::span<const BinaryEntry> complex_making_entries() { return making; }

}  // namespace troupe::cuda
