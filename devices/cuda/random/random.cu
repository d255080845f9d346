#include "troupe/devices/cuda/random/random.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/random/distributions.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Sets the elements block by block to what `draw` makes of the number of the block.
template <class T, class Draw>
__device__ void set_blocks(T* out, int64_t count, const Draw& draw) {
  constexpr int size = numbers_of_block<T>;
  for (auto i = first_item(); i * size < count; i += item_step()) {
    auto numbers = draw(static_cast<uint64_t>(i));
    for (int k = 0; k < size && i * size + k < count; ++k) out[i * size + k] = numbers.at[k];
  }
}

template <class T>
__global__ void random_kernel(T* out, int64_t count, RandomKind kind, PhiloxPosition start) {
  if (kind == RandomKind::uniform)
    set_blocks(
        out, count, [&](uint64_t i) { return UniformNumbers<T>::of(start.skip(i).block()); });
  else if (kind == RandomKind::normal)
    set_blocks(out, count, [&](uint64_t i) { return normal_numbers<T>(start.skip(i).block()); });
  else set_blocks(out, count, [&](uint64_t i) { return truncated_numbers<T>(start, i); });
}

template <class T>
void launch(const RandomCall& call) {
  start_kernel(
      call.stream, blocks_for(call.count / numbers_of_block<T> + 1), block_threads,
      random_kernel<T>, static_cast<T*>(call.out), call.count, call.kind, call.start);
}

template <class T, class Range>
__global__ void random_ints_kernel(
    T* out, int64_t count, T least, Range range, PhiloxPosition start) {
  set_blocks(
      out, count, [&](uint64_t i) { return whole_numbers(start.skip(i).block(), least, range); });
}

}  // namespace

void launch_random(const RandomCall& call) {
  switch (call.element) {
    case Element::float64: return launch<double>(call);
    case Element::float16: return launch<Half>(call);
    case Element::bfloat16: return launch<Brain>(call);
    default: return launch<float>(call);
  }
}

void launch_random_ints(const RandomIntsCall& call) {
  auto blocks = blocks_for(call.count / 2 + 1);
  if (call.is_long)
    start_kernel(
        call.stream, blocks, block_threads, random_ints_kernel<int64_t, uint64_t>,
        static_cast<int64_t*>(call.out), call.count, call.least, call.range, call.start);
  else
    start_kernel(
        call.stream, blocks, block_threads, random_ints_kernel<int32_t, uint32_t>,
        static_cast<int32_t*>(call.out), call.count, static_cast<int32_t>(call.least),
        static_cast<uint32_t>(call.range), call.start);
}

}  // namespace troupe::cuda
