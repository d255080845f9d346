#include "troupe/devices/cuda/math/clip.hpp"

#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/math/elementwise.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void clip_kernel(ClipCall call) {
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto x = widen(static_cast<const T*>(call.x)[i]);
    auto low = widen(static_cast<const T*>(call.low)[i * call.low_step]);
    auto high = widen(static_cast<const T*>(call.high)[i * call.high_step]);
    auto limited = x > high ? high : x;
    static_cast<T*>(call.out)[i] = Narrow<T>::of(limited < low ? low : limited);
  }
}

template <class T>
void clip(const ClipCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, clip_kernel<T>, call);
}

template <class T>
__global__ void leak_kernel(LeakCall call) {
  auto alpha = static_cast<Wide<T>>(call.alpha);
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto x = widen(static_cast<const T*>(call.x)[i]);
    auto is_positive = widen(static_cast<const T*>(call.sign_of)[i]) > 0;
    static_cast<T*>(call.out)[i] = Narrow<T>::of(is_positive ? x : alpha * x);
  }
}

template <class T>
void leak(const LeakCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, leak_kernel<T>, call);
}

}  // namespace

LaunchClip find_clip(Element element) {
  return choose<LaunchClip>(
      NumberElements{}, element, [](auto zero) { return clip<decltype(zero)>; });
}

LaunchLeak find_leak(Element element) {
  return choose<LaunchLeak>(
      FloatingElements{}, element, [](auto zero) { return leak<decltype(zero)>; });
}

}  // namespace troupe::cuda
