#include "troupe/devices/cuda/nn/dilation.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// The least finite number of an element: what a window without a greater sum has.
template <class T>
__device__ T lowest() {
  return T{Extremes<T>::least()};
}
template <>
__device__ float lowest() {
  return bits_as<float>(uint32_t{0xff7fffff});
}
template <>
__device__ double lowest() {
  return bits_as<double>(uint64_t{0xffefffffffffffff});
}
template <>
__device__ Half lowest() {
  return {0xfbff};
}
template <>
__device__ Brain lowest() {
  return {0xff7f};
}

/// A channel of a position, by the number of the element in images of that height and width.
struct Place {
  int64_t image, row, column, channel;

  __device__ Place(int64_t element, const int64_t* sizes, int64_t channels) {
    channel = element % channels;
    element /= channels;
    column = element % sizes[1];
    element /= sizes[1];
    row = element % sizes[0];
    image = element / sizes[0];
  }
};

/// The greatest sum for an output, and its tap: the first of equal ones. NaN is not greater.
template <class T>
struct Greatest {
  T sum = lowest<T>();
  int64_t tap = -1;

  __device__ Greatest(const DilationCall& call, int64_t output) {
    const auto& g = call.geometry;
    const auto *input = static_cast<const T*>(call.input),
               *filter = static_cast<const T*>(call.filter);
    Place at(output, g.out, g.channels);
    for (int64_t y = 0; y < g.kernel[0]; ++y) {
      auto row = g.input_at(0, y, at.row);
      for (int64_t x = 0; row >= 0 && x < g.kernel[1]; ++x) {
        auto column = g.input_at(1, x, at.column);
        if (column < 0) continue;
        auto position = (at.image * g.in[0] + row) * g.in[1] + column;
        add(input[position * g.channels + at.channel],
            filter[(y * g.kernel[1] + x) * g.channels + at.channel], y * g.kernel[1] + x);
      }
    }
  }

 private:
  __device__ void add(T input, T filter, int64_t at) {
    auto next = Narrow<T>::of(FoldSum::join(widen(input), widen(filter)));
    if (!(widen(next) > widen(sum))) return;
    sum = next;
    tap = at;
  }
};

template <class T>
__global__ void dilation_kernel(DilationCall call) {
  for (auto i = first_item(); i < call.geometry.out_elements(); i += item_step())
    static_cast<T*>(call.result)[i] = Greatest<T>(call, i).sum;
}

template <class T>
__global__ void sources_kernel(DilationCall call) {
  for (auto i = first_item(); i < call.geometry.out_elements(); i += item_step())
    call.sources[i] = static_cast<int32_t>(Greatest<T>(call, i).tap);
}

/// A thread adds up the gradients of the outputs whose greatest sum has its element, in their
/// order, which is that of falling taps.
template <class T>
__global__ void to_input_kernel(DilationCall call) {
  const auto& g = call.geometry;
  const auto* dy = static_cast<const T*>(call.dy);
  for (auto i = first_item(); i < g.in_elements(); i += item_step()) {
    Place at(i, g.in, g.channels);
    Wide<T> sum = 0;
    for (auto y = g.kernel[0] - 1; y >= 0; --y) {
      auto row = g.output_at(0, y, at.row);
      for (auto x = g.kernel[1] - 1; row >= 0 && x >= 0; --x) {
        auto column = g.output_at(1, x, at.column);
        if (column < 0) continue;
        auto output = ((at.image * g.out[0] + row) * g.out[1] + column) * g.channels + at.channel;
        if (call.sources[output] == y * g.kernel[1] + x)
          sum = FoldSum::join(sum, widen(dy[output]));
      }
    }
    static_cast<T*>(call.result)[i] = Narrow<T>::of(sum);
  }
}

/// A thread has an element of the filter, and one part of all outputs.
template <class T>
__global__ void to_filter_parts_kernel(DilationCall call, int64_t parts) {
  const auto& g = call.geometry;
  const auto* dy = static_cast<const T*>(call.dy);
  auto elements = g.filter_elements(), positions = g.out_positions();
  for (auto i = first_item(); i < parts * elements; i += item_step()) {
    auto part = i / elements, tap = i % elements / g.channels, channel = i % g.channels;
    auto end = positions * (part + 1) / parts;
    Wide<T> sum = 0;
    for (auto position = positions * part / parts; position < end; ++position) {
      auto output = position * g.channels + channel;
      if (call.sources[output] == tap) sum = FoldSum::join(sum, widen(dy[output]));
    }
    static_cast<Wide<T>*>(call.partial)[i] = sum;
  }
}

template <class T>
__global__ void join_parts_kernel(DilationCall call, int64_t parts) {
  auto elements = call.geometry.filter_elements();
  for (auto i = first_item(); i < elements; i += item_step()) {
    Wide<T> sum = 0;
    for (int64_t part = 0; part < parts; ++part)
      sum = FoldSum::join(sum, static_cast<const Wide<T>*>(call.partial)[part * elements + i]);
    static_cast<T*>(call.result)[i] = Narrow<T>::of(sum);
  }
}

template <class T>
void forward(const DilationCall& call) {
  start_kernel(
      call.stream, blocks_for(call.geometry.out_elements()), block_threads, dilation_kernel<T>,
      call);
}

template <class T>
void find_sources(const DilationCall& call) {
  start_kernel(
      call.stream, blocks_for(call.geometry.out_elements()), block_threads, sources_kernel<T>,
      call);
}

template <class T>
void to_input(const DilationCall& call) {
  find_sources<T>(call);
  start_kernel(
      call.stream, blocks_for(call.geometry.in_elements()), block_threads, to_input_kernel<T>,
      call);
}

template <class T>
void to_filter(const DilationCall& call) {
  find_sources<T>(call);
  auto parts = call.geometry.parts(), elements = call.geometry.filter_elements();
  start_kernel(
      call.stream, blocks_for(parts * elements), block_threads, to_filter_parts_kernel<T>, call,
      parts);
  start_kernel(call.stream, blocks_for(elements), block_threads, join_parts_kernel<T>, call, parts);
}

}  // namespace

LaunchDilation find_dilation(Element element, DilationPass pass) {
  return choose<LaunchDilation>(NumberElements{}, element, [pass](auto zero) -> LaunchDilation {
    using T = decltype(zero);
    switch (pass) {
      case DilationPass::forward: return forward<T>;
      case DilationPass::to_input: return to_input<T>;
      default: return to_filter<T>;
    }
  });
}

}  // namespace troupe::cuda
