// cuFFT for emulated cards: plans whose transforms are computed by sums over all elements, in
// double, on the threads of streams. As with cuFFT, transforms to reals leave nothing of their
// input, and the working memory is written.
#include "troupe/devices/cuda/linalg/fourier_calls.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

namespace troupe::emulated {
namespace {

using Complex = std::complex<double>;
using Sizes = std::array<long long, 3>;

constexpr size_t work_bytes = 4096;

struct Plan {
  bool allocates = true;
  Sizes lengths{1, 1, 1}, given{1, 1, 1}, made{1, 1, 1};  // the last axes of three
  long long given_distance = 0, made_distance = 0, count = 0;
  cufftType type{};
  Stream* stream = nullptr;
  void* work = nullptr;

  long long elements() const { return lengths[0] * lengths[1] * lengths[2]; }
};

std::mutex mutex;
std::map<cufftHandle, Plan> plans;
cufftHandle last_plan = 0;

/// Calls use(place in the block of those sizes, place in a block of `lengths`) for each element.
template <class Use>
void for_each(const Sizes& lengths, const Sizes& sizes, long long last, const Use& use) {
  for (long long i = 0; i < lengths[0]; ++i)
    for (long long j = 0; j < lengths[1]; ++j)
      for (long long k = 0; k < last; ++k)
        use((i * sizes[1] + j) * sizes[2] + k, (i * lengths[1] + j) * lengths[2] + k);
}

/// Along an axis, in place.
void transform_axis(std::vector<Complex>& block, const Sizes& lengths, size_t axis, int direction) {
  auto length = lengths[axis];
  long long stride = 1;
  for (auto inner = axis + 1; inner < 3; ++inner) stride *= lengths[inner];
  std::vector<Complex> line(static_cast<size_t>(length)), factors(line.size());
  for (long long i = 0; i < length; ++i)
    factors[static_cast<size_t>(i)] =
        std::polar(1.0, direction * 2 * std::numbers::pi * double(i) / double(length));
  for (long long at = 0; at < std::ssize(block); ++at) {
    if (at / stride % length != 0) continue;
    for (long long k = 0; k < length; ++k) {
      Complex sum;
      for (long long i = 0; i < length; ++i)
        sum += block[static_cast<size_t>(at + i * stride)] *
               factors[static_cast<size_t>(i * k % length)];
      line[static_cast<size_t>(k)] = sum;
    }
    for (long long k = 0; k < length; ++k)
      block[static_cast<size_t>(at + k * stride)] = line[static_cast<size_t>(k)];
  }
}

/// Makes the half of a spectrum along the last axis that of reals along all axes, as the library
/// takes it to be: where mirror images in the half itself are not alike, neither counts alone, and
/// an imaginary part of what is its own mirror image is added in.
void complete(std::vector<Complex>& block, const Sizes& lengths) {
  for_each(lengths, lengths, lengths[2], [&](auto, auto at) {
    auto rest = at, place = 0LL, stride = 1LL;
    for (size_t axis = 3; axis-- > 0; stride *= lengths[axis]) {
      place += stride * ((lengths[axis] - rest % lengths[axis]) % lengths[axis]);
      rest /= lengths[axis];
    }
    auto k = at % lengths[2], mirror_k = place % lengths[2];
    auto &value = block[static_cast<size_t>(at)], &mirror = block[static_cast<size_t>(place)];
    if (at == place) value = value.real() + value.imag();
    else if (k == mirror_k && at > place)
      mirror = std::conj(value = 2.0 * std::conj(mirror) - value);
    else if (k > mirror_k) value = std::conj(mirror);
  });
}

template <class In, class Out>
void transform_block(const Plan& plan, In* in, Out* out, int direction) {
  constexpr bool to_reals = std::is_same_v<Out, float>;
  std::vector<Complex> block(static_cast<size_t>(plan.elements()));
  auto half = plan.lengths[2] / 2 + 1;
  for_each(plan.lengths, plan.given, to_reals ? half : plan.lengths[2], [&](auto from, auto at) {
    if constexpr (std::is_same_v<In, float>) block[static_cast<size_t>(at)] = in[from];
    else block[static_cast<size_t>(at)] = Complex(in[from].x, in[from].y);
  });
  if (to_reals) complete(block, plan.lengths);
  transform_axis(block, plan.lengths, 0, direction);
  transform_axis(block, plan.lengths, 1, direction);
  transform_axis(block, plan.lengths, 2, direction);
  auto last = plan.type == CUFFT_R2C ? half : plan.lengths[2];
  for_each(plan.lengths, plan.made, last, [&](auto to, auto at) {
    auto value = block[static_cast<size_t>(at)];
    if constexpr (to_reals) out[to] = static_cast<float>(value.real());
    else
      out[to] = {
          static_cast<decltype(out->x)>(value.real()), static_cast<decltype(out->y)>(value.imag())};
  });
}

template <class In, class Out>
cufftResult put(cufftHandle handle, cufftType type, In* in, Out* out, int direction) {
  std::lock_guard lock(mutex);
  auto found = plans.find(handle);
  if (found == plans.end() || found->second.type != type) return CUFFT_INVALID_PLAN;
  const auto& plan = found->second;
  if (!plan.allocates && !plan.work) return CUFFT_NO_WORKSPACE;
  plan.stream->put([plan, in, out, direction] {
    std::memset(plan.work, 0x5a, work_bytes);
    for (long long i = 0; i < plan.count; ++i) {
      transform_block(plan, in + i * plan.given_distance, out + i * plan.made_distance, direction);
      if (plan.type == CUFFT_C2R)
        std::memset(
            static_cast<void*>(in + i * plan.given_distance), 0x5a,
            static_cast<size_t>(plan.given_distance) * sizeof(In));
    }
  });
  return CUFFT_SUCCESS;
}

template <class Change>
cufftResult change(cufftHandle handle, const Change& change) {
  std::lock_guard lock(mutex);
  auto found = plans.find(handle);
  if (found == plans.end()) return CUFFT_INVALID_PLAN;
  return change(found->second);
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

cufftResult cufftCreate(cufftHandle* plan) {
  std::lock_guard lock(mutex);
  plans[*plan = ++last_plan];
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) {
  std::lock_guard lock(mutex);
  return plans.erase(plan) > 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  return change(handle, [&](Plan& plan) {
    plan.allocates = allocates != 0;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftMakePlanMany64(
    cufftHandle handle, int axes, long long* lengths, long long* given, long long given_stride,
    long long given_distance, long long* made, long long made_stride, long long made_distance,
    cufftType type, long long count, size_t* work) {
  if (axes < 1 || axes > 3 || given_stride != 1 || made_stride != 1 || count < 1)
    return CUFFT_INVALID_VALUE;
  return change(handle, [&](Plan& plan) {
    for (int axis = 0; axis < axes; ++axis) {
      if (lengths[axis] < 1) return CUFFT_INVALID_SIZE;
      auto at = static_cast<size_t>(3 - axes + axis);
      plan.lengths[at] = lengths[axis];
      plan.given[at] = given[axis];
      plan.made[at] = made[axis];
    }
    plan.given_distance = given_distance;
    plan.made_distance = made_distance;
    plan.count = count;
    plan.type = type;
    *work = work_bytes;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  return change(handle, [&](Plan& plan) {
    plan.stream = stream;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetWorkArea(cufftHandle handle, void* work) {
  return change(handle, [&](Plan& plan) {
    plan.work = work;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return put(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecZ2Z(
    cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return put(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return put(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return put(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}

namespace troupe::cuda {

Status check_fourier_library() { return {}; }

Result<const FourierCalls*> fourier_calls() {
  static const FourierCalls calls{
      .create = cufftCreate,
      .destroy = cufftDestroy,
      .set_auto_allocation = cufftSetAutoAllocation,
      .make_plan = cufftMakePlanMany64,
      .set_stream = cufftSetStream,
      .set_work_area = cufftSetWorkArea,
      .transform_complex64 = cufftExecC2C,
      .transform_complex128 = cufftExecZ2Z,
      .transform_reals = cufftExecR2C,
      .transform_to_reals = cufftExecC2R};
  return &calls;
}

}  // namespace troupe::cuda
