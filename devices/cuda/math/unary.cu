#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/functions.hpp"

namespace troupe::cuda {
namespace {

struct IsNan {
  template <class T>
  TROUPE_BOTH bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  TROUPE_BOTH bool operator()(T x) const {
    return x == x && x - x != x - x;
  }
};
struct IsFinite {
  template <class T>
  TROUPE_BOTH bool operator()(T x) const {
    return x - x == x - x;
  }
};
struct LogicalNot {
  TROUPE_BOTH bool operator()(bool x) const { return !x; }
};

constexpr UnaryEntry entries[] = {
    TROUPE_NUMBERS(launch_unary, Abs),       TROUPE_NUMBERS(launch_unary, Neg),
    TROUPE_NUMBERS(launch_unary, Square),    TROUPE_NUMBERS(launch_unary, Sign),
    TROUPE_NUMBERS(launch_unary, Relu),      TROUPE_NUMBERS(launch_unary, Relu6),
    TROUPE_NUMBERS(launch_unary, Round),     TROUPE_FLOATING(launch_unary, Acos),
    TROUPE_FLOATING(launch_unary, Acosh),    TROUPE_FLOATING(launch_unary, Asin),
    TROUPE_FLOATING(launch_unary, Asinh),    TROUPE_FLOATING(launch_unary, Atan),
    TROUPE_FLOATING(launch_unary, Atanh),    TROUPE_FLOATING(launch_unary, Ceil),
    TROUPE_FLOATING(launch_unary, Cos),      TROUPE_FLOATING(launch_unary, Cosh),
    TROUPE_FLOATING(launch_unary, Elu),      TROUPE_FLOATING(launch_unary, Erf),
    TROUPE_FLOATING(launch_unary, Erfc),     TROUPE_FLOATING(launch_unary, Exp),
    TROUPE_FLOATING(launch_unary, Expm1),    TROUPE_FLOATING(launch_unary, Floor),
    TROUPE_FLOATING(launch_unary, Lgamma),   TROUPE_FLOATING(launch_unary, Log),
    TROUPE_FLOATING(launch_unary, Log1p),    TROUPE_FLOATING(launch_unary, Reciprocal),
    TROUPE_FLOATING(launch_unary, Rint),     TROUPE_FLOATING(launch_unary, Rsqrt),
    TROUPE_FLOATING(launch_unary, Selu),     TROUPE_FLOATING(launch_unary, Sigmoid),
    TROUPE_FLOATING(launch_unary, Sin),      TROUPE_FLOATING(launch_unary, Sinh),
    TROUPE_FLOATING(launch_unary, Softplus), TROUPE_FLOATING(launch_unary, Softsign),
    TROUPE_FLOATING(launch_unary, Sqrt),     TROUPE_FLOATING(launch_unary, Tan),
    TROUPE_FLOATING(launch_unary, Tanh),
};

#define TROUPE_FLAGS(op)                                       \
  {#op, Element::float32, launch_unary<op, float, bool>},      \
      {#op, Element::float64, launch_unary<op, double, bool>}, \
      {#op, Element::float16, launch_unary<op, Half, bool>}, { \
#op, Element::bfloat16, launch_unary < op, Brain, bool>    \
  }

constexpr UnaryEntry flags[] = {
    TROUPE_FLAGS(IsNan),
    TROUPE_FLAGS(IsInf),
    TROUPE_FLAGS(IsFinite),
    {"LogicalNot", Element::boolean, launch_unary<LogicalNot, bool, bool>},
};

}  // namespace

std::span<const UnaryEntry> unary_entries() { return entries; }
std::span<const UnaryEntry> flag_entries() { return flags; }

}  // namespace troupe::cuda
