#include <type_traits>

#include "troupe/devices/cuda/math/complex.hpp"
#include "troupe/devices/cuda/math/elementwise.cuh"

namespace troupe::cuda {
namespace {

/// A complex number becomes its real part where the result is real; a bool tells "not zero".
template <class To, class From>
__device__ To converted(const void* x, int64_t i) {
  auto number = widen(static_cast<const From*>(x)[i]);
  if constexpr (is_complex<From> && !is_complex<To> && !std::is_same_v<To, bool>)
    return Narrow<To>::of(number.real);
  else return Narrow<To>::of(number);
}

/// Which kind the operand has is looked at for each element, alike in all threads: one kernel for
/// each kind of result is enough.
template <class To>
__device__ To element_as(const void* x, Element from, int64_t i) {
  switch (from) {
    case Element::float64: return converted<To, double>(x, i);
    case Element::int32: return converted<To, int32_t>(x, i);
    case Element::uint8: return converted<To, uint8_t>(x, i);
    case Element::int16: return converted<To, int16_t>(x, i);
    case Element::int8: return converted<To, int8_t>(x, i);
    case Element::int64: return converted<To, int64_t>(x, i);
    case Element::boolean: return converted<To, bool>(x, i);
    case Element::bfloat16: return converted<To, Brain>(x, i);
    case Element::uint16: return converted<To, uint16_t>(x, i);
    case Element::float16: return converted<To, Half>(x, i);
    case Element::uint32: return converted<To, uint32_t>(x, i);
    case Element::uint64: return converted<To, uint64_t>(x, i);
    case Element::complex64: return converted<To, Complex64>(x, i);
    case Element::complex128: return converted<To, Complex128>(x, i);
    default: return converted<To, float>(x, i);
  }
}

template <class To>
__global__ void cast_kernel(To* out, const void* x, Element from, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step()) out[i] = element_as<To>(x, from, i);
}

template <class To>
void launch(void* out, const void* x, Element from, int64_t count, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count), block_threads, cast_kernel<To>, static_cast<To*>(out), x, from,
      count);
}

}  // namespace

void launch_cast(
    void* out, Element to, const void* x, Element from, int64_t count, cudaStream_t stream) {
  switch (to) {
    case Element::float64: return launch<double>(out, x, from, count, stream);
    case Element::int32: return launch<int32_t>(out, x, from, count, stream);
    case Element::uint8: return launch<uint8_t>(out, x, from, count, stream);
    case Element::int16: return launch<int16_t>(out, x, from, count, stream);
    case Element::int8: return launch<int8_t>(out, x, from, count, stream);
    case Element::int64: return launch<int64_t>(out, x, from, count, stream);
    case Element::boolean: return launch<bool>(out, x, from, count, stream);
    case Element::bfloat16: return launch<Brain>(out, x, from, count, stream);
    case Element::uint16: return launch<uint16_t>(out, x, from, count, stream);
    case Element::float16: return launch<Half>(out, x, from, count, stream);
    case Element::uint32: return launch<uint32_t>(out, x, from, count, stream);
    case Element::uint64: return launch<uint64_t>(out, x, from, count, stream);
    case Element::complex64: return launch<Complex64>(out, x, from, count, stream);
    case Element::complex128: return launch<Complex128>(out, x, from, count, stream);
    default: return launch<float>(out, x, from, count, stream);
  }
}

}  // namespace troupe::cuda
