#include "troupe/devices/cuda/array/reordering.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class C>
__global__ void reverse_sequence_kernel(ReverseSequenceCall call) {
  for (auto i = first_item(); i < call.elements; i += item_step()) {
    auto length = call.lengths[call.sequences.sequence_of(i)];
    static_cast<C*>(call.to)[i] =
        static_cast<const C*>(call.from)[call.sequences.source_of(i, length)];
  }
}

template <class C>
__global__ void mirror_kernel(MirrorCall call) {
  for (auto i = first_item(); i < call.axes.padded_elements(); i += item_step())
    static_cast<C*>(call.to)[i] = static_cast<const C*>(call.from)[call.axes.source_of(i)];
}

template <class T>
__global__ void image_sums_kernel(MirrorCall call) {
  for (auto i = first_item(); i < call.axes.inner_elements(); i += item_step()) {
    Wide<T> sum = 0;
    call.axes.each_image(i, [&](int64_t image) {
      sum = static_cast<Wide<T>>(wrap(sum) + wrap(widen(static_cast<const T*>(call.from)[image])));
    });
    static_cast<T*>(call.to)[i] = Narrow<T>::of(sum);
  }
}

template <class T>
void launch_sums(const MirrorCall& call) {
  start_kernel(
      call.stream, blocks_for(call.axes.inner_elements()), block_threads, image_sums_kernel<T>,
      call);
}

}  // namespace

void launch_reverse_sequence(const ReverseSequenceCall& call) {
  with_cell(call.size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.elements), block_threads,
        reverse_sequence_kernel<decltype(cell)>, call);
  });
}

void launch_mirror(const MirrorCall& call) {
  with_cell(call.size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.axes.padded_elements()), block_threads,
        mirror_kernel<decltype(cell)>, call);
  });
}

LaunchImageSums find_image_sums(Element element) {
  return choose<LaunchImageSums>(
      NumberElements{}, element, [](auto zero) { return launch_sums<decltype(zero)>; });
}

}  // namespace troupe::cuda
