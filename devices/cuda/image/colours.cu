#include "troupe/devices/cuda/image/colours.hpp"

#include <algorithm>

#include "troupe/devices/cpu/image/pixels.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <PixelFunction function, class A>
__device__ cpu::Pixel<A> computed(const cpu::Pixel<A>& pixel, const float* factor) {
  if constexpr (function == PixelFunction::rgb_to_hsv) return cpu::rgb_to_hsv(pixel);
  else if constexpr (function == PixelFunction::hsv_to_rgb) return cpu::hsv_to_rgb(pixel);
  else if constexpr (function == PixelFunction::turn_hue) return cpu::turn_hue(pixel, *factor);
  else return cpu::scale_saturation(pixel, *factor);
}

template <PixelFunction function, class T>
__global__ void pixels_kernel(PixelCall call) {
  for (auto i = first_item(); i < call.pixels; i += item_step()) {
    const auto* from = static_cast<const T*>(call.from) + 3 * i;
    cpu::Pixel<Wide<T>> pixel{widen(from[0]), widen(from[1]), widen(from[2])};
    pixel = computed<function>(pixel, call.factor);
    for (int c = 0; c < 3; ++c)
      static_cast<T*>(call.to)[3 * i + c] = Narrow<T>::of(pixel[static_cast<size_t>(c)]);
  }
}

template <PixelFunction function, class T>
void launch_pixels(const PixelCall& call) {
  start_kernel(
      call.stream, blocks_for(call.pixels), block_threads, pixels_kernel<function, T>, call);
}

/// A block sums a part of an image's pixels. Each thread has one channel, of every so many pixels;
/// then one thread for each channel adds up what those have.
template <class T>
__global__ void channel_sums_kernel(ContrastCall call) {
  __shared__ double shared[block_threads];
  for (int64_t i = blockIdx.x; i < call.parts * call.images; i += gridDim.x) {
    auto part = i / call.images;
    const auto* image =
        static_cast<const T*>(call.from) + i % call.images * call.pixels * call.channels;
    auto begin = call.pixels * part / call.parts, end = call.pixels * (part + 1) / call.parts;
    for (int64_t first = 0; first < call.channels; first += block_threads) {
      auto left = call.channels - first;
      auto width = left < block_threads ? static_cast<int>(left) : block_threads;
      auto rows = block_threads / width;
      auto channel = static_cast<int>(threadIdx.x) % width,
           row = static_cast<int>(threadIdx.x) / width;
      double sum = 0;
      for (auto pixel = begin + row; row < rows && pixel < end; pixel += rows)
        sum += static_cast<double>(widen(image[pixel * call.channels + first + channel]));
      __syncthreads();  // after what was last read from there
      shared[threadIdx.x] = sum;
      __syncthreads();
      if (row != 0) continue;
      for (int other = 1; other < rows; ++other) sum += shared[other * width + channel];
      call.sums[i * call.channels + first + channel] = sum;
    }
  }
}

/// The sums of the first part become means.
__global__ void means_kernel(ContrastCall call) {
  auto channels = call.images * call.channels;
  for (auto i = first_item(); i < channels; i += item_step()) {
    auto sum = call.sums[i];
    for (int64_t part = 1; part < call.parts; ++part) sum += call.sums[part * channels + i];
    call.sums[i] = sum / static_cast<double>(call.pixels);
  }
}

template <class T>
__global__ void contrast_kernel(ContrastCall call) {
  auto of_image = call.pixels * call.channels;
  for (auto i = first_item(); i < call.images * of_image; i += item_step()) {
    auto mean = static_cast<float>(call.sums[i / of_image * call.channels + i % call.channels]);
    auto value = widen(static_cast<const T*>(call.from)[i]);
    static_cast<T*>(call.to)[i] = Narrow<T>::of(rounded_product(value - mean, *call.factor) + mean);
  }
}

template <class T>
void launch_contrast(const ContrastCall& call) {
  start_kernel(
      call.stream, blocks_for(call.parts * call.images, 1), block_threads, channel_sums_kernel<T>,
      call);
  start_kernel(
      call.stream, blocks_for(call.images * call.channels), block_threads, means_kernel, call);
  start_kernel(
      call.stream, blocks_for(call.images * call.pixels * call.channels), block_threads,
      contrast_kernel<T>, call);
}

using AdjustedElements = Elements<float, Half>;

template <PixelFunction function, class... Ts>
LaunchPixels find_among(Elements<Ts...> elements, Element element) {
  return choose<LaunchPixels>(
      elements, element, [](auto zero) { return launch_pixels<function, decltype(zero)>; });
}

}  // namespace

LaunchPixels find_pixels(Element element, PixelFunction function) {
  switch (function) {
    case PixelFunction::rgb_to_hsv:
      return find_among<PixelFunction::rgb_to_hsv>(FloatingElements{}, element);
    case PixelFunction::hsv_to_rgb:
      return find_among<PixelFunction::hsv_to_rgb>(FloatingElements{}, element);
    case PixelFunction::turn_hue:
      return find_among<PixelFunction::turn_hue>(AdjustedElements{}, element);
    default: return find_among<PixelFunction::scale_saturation>(AdjustedElements{}, element);
  }
}

LaunchContrast find_contrast(Element element) {
  return choose<LaunchContrast>(
      AdjustedElements{}, element, [](auto zero) { return launch_contrast<decltype(zero)>; });
}

int64_t contrast_parts(int64_t images, int64_t pixels) {
  constexpr int64_t wanted_blocks = 1024, least_pixels = 256;
  auto parts = std::min(wanted_blocks / images, pixels / least_pixels);
  return std::max<int64_t>(parts, 1);
}

}  // namespace troupe::cuda
