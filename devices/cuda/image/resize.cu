#include "troupe/devices/cuda/image/resize.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/image/pixel.cuh"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/math/numbers.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ int64_t at(const ResizeCall& call, int64_t image, int64_t row, int64_t column) {
  return ((image * call.rows.size + row) * call.columns.size + column) * call.channels;
}
__device__ int64_t at_resized(const ResizeCall& call, int64_t image, int64_t row, int64_t column) {
  return ((image * call.rows.resized + row) * call.columns.resized + column) * call.channels;
}

int64_t elements(const ResizeCall& call) {
  return call.batch * call.rows.size * call.columns.size * call.channels;
}
__host__ __device__ int64_t resized_elements(const ResizeCall& call) {
  return call.batch * call.rows.resized * call.columns.resized * call.channels;
}

template <class T>
__global__ void bilinear_kernel(ResizeCall call) {
  const auto* from = static_cast<const T*>(call.from);
  for (auto i = first_item(); i < resized_elements(call); i += item_step()) {
    Pixel pixel(i, call.rows.resized, call.columns.resized, call.channels);
    auto y = call.rows.sources[pixel.row], x = call.columns.sources[pixel.column];
    auto value = [&](int64_t row, int64_t column) {
      return static_cast<float>(widen(from[at(call, pixel.image, row, column) + pixel.channel]));
    };
    auto a = value(y.lower, x.lower), b = value(y.lower, x.upper);
    auto p = value(y.upper, x.lower), q = value(y.upper, x.upper);
    auto above = a + (b - a) * x.share, below = p + (q - p) * x.share;
    static_cast<float*>(call.out)[i] = above + (below - above) * y.share;
  }
}

/// A thread adds up what a pixel of the image had in the resized ones, in their order.
template <class T, class G, class Share>
__device__ void add_gradients(const ResizeCall& call, int64_t count, const Share& share) {
  const auto* gradients = static_cast<const G*>(call.from);
  for (auto i = first_item(); i < count; i += item_step()) {
    Pixel pixel(i, call.rows.size, call.columns.size, call.channels);
    Wide<T> sum = 0;
    for (auto y = call.rows.first[pixel.row]; y < call.rows.last[pixel.row]; ++y)
      for (auto x = call.columns.first[pixel.column]; x < call.columns.last[pixel.column]; ++x) {
        auto gradient = widen(gradients[at_resized(call, pixel.image, y, x) + pixel.channel]);
        sum += static_cast<Wide<T>>(share(pixel, y, x, gradient));
      }
    static_cast<T*>(call.out)[i] = Narrow<T>::of(sum);
  }
}

/// A pixel may be the lower source and the upper one at once; each share is rounded by itself.
template <class T>
__global__ void bilinear_grad_kernel(ResizeCall call, int64_t count) {
  add_gradients<T, float>(
      call, count, [&](const Pixel& pixel, int64_t row, int64_t column, float gradient) {
        auto y = call.rows.sources[row], x = call.columns.sources[column];
        Wide<T> sum = 0;
        auto add = [&](int64_t from_row, float of_row, int64_t from_column, float of_column) {
          if (from_row == pixel.row && from_column == pixel.column)
            sum += static_cast<Wide<T>>(gradient * of_row * of_column);
        };
        add(y.lower, 1 - y.share, x.lower, 1 - x.share);
        add(y.lower, 1 - y.share, x.upper, x.share);
        add(y.upper, y.share, x.lower, 1 - x.share);
        add(y.upper, y.share, x.upper, x.share);
        return sum;
      });
}

template <class T>
__global__ void nearest_grad_kernel(ResizeCall call, int64_t count) {
  add_gradients<T, T>(
      call, count, [](const Pixel&, int64_t, int64_t, Wide<T> gradient) { return gradient; });
}

template <class C>
__global__ void nearest_kernel(ResizeCall call) {
  for (auto i = first_item(); i < resized_elements(call); i += item_step()) {
    Pixel pixel(i, call.rows.resized, call.columns.resized, call.channels);
    auto row = call.rows.sources[pixel.row].lower;
    auto column = call.columns.sources[pixel.column].lower;
    static_cast<C*>(call.out)[i] =
        static_cast<const C*>(call.from)[at(call, pixel.image, row, column) + pixel.channel];
  }
}

template <class T>
void bilinear(const ResizeCall& call) {
  start_kernel(
      call.stream, blocks_for(resized_elements(call)), block_threads, bilinear_kernel<T>, call);
}
template <class T>
void bilinear_grad(const ResizeCall& call) {
  auto count = elements(call);
  start_kernel(call.stream, blocks_for(count), block_threads, bilinear_grad_kernel<T>, call, count);
}
template <class T>
void nearest_grad(const ResizeCall& call) {
  auto count = elements(call);
  start_kernel(call.stream, blocks_for(count), block_threads, nearest_grad_kernel<T>, call, count);
}

}  // namespace

LaunchResize find_bilinear(Element element) {
  return choose<LaunchResize>(
      Elements<float, double, Half, Brain, uint8_t, int32_t>{}, element,
      [](auto zero) { return bilinear<decltype(zero)>; });
}

LaunchResize find_bilinear_grad(Element element) {
  return choose<LaunchResize>(
      FloatingElements{}, element, [](auto zero) { return bilinear_grad<decltype(zero)>; });
}

LaunchResize find_nearest_grad(Element element) {
  return choose<LaunchResize>(Elements<float, double, Half>{}, element, [](auto zero) {
    return nearest_grad<decltype(zero)>;
  });
}

void launch_nearest(const ResizeCall& call, int size) {
  with_cell(size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(resized_elements(call)), block_threads,
        nearest_kernel<decltype(cell)>, call);
  });
}

}  // namespace troupe::cuda
