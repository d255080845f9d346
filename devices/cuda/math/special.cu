// Without it, Eigen's functions are compiled for cards, too. Those called here compute with floats
// and doubles alone.
#undef EIGEN_NO_CUDA
#include "troupe/devices/cpu/math/special.hpp"
#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/special.hpp"

namespace troupe::cuda {
namespace {

struct Digamma {
  template <class T>
  TROUPE_BOTH T operator()(T x) const {
    return Eigen::numext::digamma(x);
  }
};

// As wide as CPUs compute them, whatever the dtype.
#define TROUPE_BY_DOUBLES_1(op, function)         \
  struct op {                                     \
    template <class T>                            \
    TROUPE_BOTH T operator()(T x) const {         \
      return static_cast<T>(function(double(x))); \
    }                                             \
  };
#define TROUPE_BY_DOUBLES_2(op, function)                    \
  struct op {                                                \
    template <class T>                                       \
    TROUPE_BOTH T operator()(T x, T y) const {               \
      return static_cast<T>(function(double(x), double(y))); \
    }                                                        \
  };
TROUPE_BY_DOUBLES_1(BesselI0e, Eigen::numext::bessel_i0e)
TROUPE_BY_DOUBLES_1(BesselI1e, Eigen::numext::bessel_i1e)
TROUPE_BY_DOUBLES_2(Igamma, cpu::igamma)
TROUPE_BY_DOUBLES_2(Igammac, cpu::igammac)
TROUPE_BY_DOUBLES_2(IgammaGradA, cpu::igamma_derivative)
TROUPE_BY_DOUBLES_2(RandomGammaGrad, cpu::gamma_derivative)
TROUPE_BY_DOUBLES_2(Zeta, cpu::hurwitz_zeta)
TROUPE_BY_DOUBLES_2(Polygamma, cpu::polygamma)

struct NextAfter {
  TROUPE_BOTH float operator()(float x, float y) const { return nextafterf(x, y); }
  TROUPE_BOTH double operator()(double x, double y) const { return nextafter(x, y); }
};

struct PopulationCount {
  template <class T>
  TROUPE_BOTH int operator()(T x) const {
    auto bits = wrap(x);
    if constexpr (sizeof(T) < 4) bits &= (1u << 8 * sizeof(T)) - 1;
    int count = 0;
    for (; bits != 0; bits &= bits - 1) ++count;
    return count;
  }
};

constexpr UnaryEntry unary[] = {
    TROUPE_FLOATING(launch_unary, Digamma),
    TROUPE_FLOATING(launch_unary, BesselI0e),
    TROUPE_FLOATING(launch_unary, BesselI1e),
};
constexpr BinaryEntry binary[] = {
    TROUPE_FLOATING(launch_costly, Igamma),
    TROUPE_FLOATING(launch_costly, Igammac),
    TROUPE_FLOATING(launch_costly, IgammaGradA),
    TROUPE_FLOATING(launch_costly, Zeta),
    TROUPE_FLOATING(launch_costly, Polygamma),
    {"RandomGammaGrad", Element::float32, launch_costly<RandomGammaGrad, float, float>},
    {"RandomGammaGrad", Element::float64, launch_costly<RandomGammaGrad, double, double>},
    {"NextAfter", Element::float32, launch_costly<NextAfter, float, float>},
    {"NextAfter", Element::float64, launch_costly<NextAfter, double, double>},
};
constexpr UnaryEntry counts[] = {
    {"PopulationCount", Element::int8, launch_unary<PopulationCount, int8_t, uint8_t>},
    {"PopulationCount", Element::int16, launch_unary<PopulationCount, int16_t, uint8_t>},
    {"PopulationCount", Element::int32, launch_unary<PopulationCount, int32_t, uint8_t>},
    {"PopulationCount", Element::int64, launch_unary<PopulationCount, int64_t, uint8_t>},
    {"PopulationCount", Element::uint8, launch_unary<PopulationCount, uint8_t, uint8_t>},
    {"PopulationCount", Element::uint16, launch_unary<PopulationCount, uint16_t, uint8_t>},
    {"PopulationCount", Element::uint32, launch_unary<PopulationCount, uint32_t, uint8_t>},
    {"PopulationCount", Element::uint64, launch_unary<PopulationCount, uint64_t, uint8_t>},
};

template <class T>
__global__ void betainc_kernel(BetaincCall call) {
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto at = [&](const void* operand, int step) {
      return static_cast<double>(widen(static_cast<const T*>(operand)[i * step]));
    };
    static_cast<T*>(call.out)[i] = Narrow<T>::of(
        cpu::betainc(at(call.a, call.a_step), at(call.b, call.b_step), at(call.x, call.x_step)));
  }
}

template <class T>
void betainc(const BetaincCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, betainc_kernel<T>, call);
}

/// Exactly, where they are integers.
template <class T>
__device__ bool is_near(T x, T y, float tolerance) {
  if constexpr (is_floating<T>) {
    return static_cast<double>(fabs(x - y)) <= static_cast<double>(tolerance);
  } else {
    auto apart = x < y ? wrap(y) - wrap(x) : wrap(x) - wrap(y);
    return static_cast<double>(apart) <= static_cast<double>(tolerance);
  }
}

template <class T>
__global__ void near_kernel(NearCall call) {
  const auto *x = static_cast<const T*>(call.x), *y = static_cast<const T*>(call.y);
  for (auto i = first_item(); i < call.count; i += item_step())
    call.out[i] = is_near(widen(x[i]), widen(y[i]), call.tolerance);
}

template <class T>
void near(const NearCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, near_kernel<T>, call);
}

}  // namespace

std::span<const UnaryEntry> special_unary_entries() { return unary; }
std::span<const BinaryEntry> special_binary_entries() { return binary; }
std::span<const UnaryEntry> count_entries() { return counts; }

LaunchBetainc find_betainc(Element element) {
  switch (element) {
    case Element::float32: return betainc<float>;
    case Element::float64: return betainc<double>;
    case Element::float16: return betainc<Half>;
    case Element::bfloat16: return betainc<Brain>;
    default: return nullptr;
  }
}

LaunchNear find_near(Element element) {
  switch (element) {
    case Element::float32: return near<float>;
    case Element::float64: return near<double>;
    case Element::float16: return near<Half>;
    case Element::bfloat16: return near<Brain>;
    case Element::int8: return near<int8_t>;
    case Element::int16: return near<int16_t>;
    case Element::int32: return near<int32_t>;
    case Element::int64: return near<int64_t>;
    case Element::uint8: return near<uint8_t>;
    case Element::uint16: return near<uint16_t>;
    case Element::uint32: return near<uint32_t>;
    case Element::uint64: return near<uint64_t>;
    default: return nullptr;
  }
}

}  // namespace troupe::cuda
