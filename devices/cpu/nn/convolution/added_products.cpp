#include <algorithm>

#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/devices/cpu/nn/convolution/convolution.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// Calls f(place in the input, first tap, taps) for the taps along the last axis that an output has
/// inputs for: all that lie together, at once.
template <class F>
void each_run_of_taps(const Convolution& c, int64_t output, const F& f) {
  const auto start = output * c.strides[2] - c.before[2];
  if (c.dilations[2] == 1) {
    const auto first = std::max<int64_t>(0, -start), last = std::min(c.kernel[2], c.in[2] - start);
    if (first < last) f(start + first, first, last - first);
    return;
  }
  for (int64_t tap = 0; tap < c.kernel[2]; ++tap) {
    const auto place = start + tap * c.dilations[2];
    if (place >= 0 && place < c.in[2]) f(place, tap, 1);
  }
}

/// Adds to the pixels of an image what each output's row of products says, tap by tap.
void add_to_pixels(const Convolution& c, const float* products, float* image) {
  std::fill_n(image, c.in_positions() * c.inputs, 0.0F);
  const auto taps_of_row = c.kernel[2] * c.inputs;
  Convolution::Sizes at{};
  for (at[0] = 0; at[0] < c.out[0]; ++at[0])
    for (at[1] = 0; at[1] < c.out[1]; ++at[1])
      for (at[2] = 0; at[2] < c.out[2]; ++at[2])
        for (int64_t row = 0; row < c.kernel[0] * c.kernel[1]; ++row, products += taps_of_row) {
          const auto plane =
              at[0] * c.strides[0] + row / c.kernel[1] * c.dilations[0] - c.before[0];
          const auto line = at[1] * c.strides[1] + row % c.kernel[1] * c.dilations[1] - c.before[1];
          if (plane < 0 || plane >= c.in[0] || line < 0 || line >= c.in[1]) continue;
          auto* pixels = image + (plane * c.in[1] + line) * c.in[2] * c.inputs;
          each_run_of_taps(c, at[2], [&](int64_t place, int64_t tap, int64_t taps) {
            auto* to = pixels + place * c.inputs;
            const auto* from = products + tap * c.inputs;
#pragma GCC ivdep
            for (int64_t i = 0; i < taps * c.inputs; ++i) to[i] += from[i];
          });
        }
}

}  // namespace

bool suits_added_products(const Convolution& c) {
  constexpr int64_t few_channels = 16;
  return c.groups == 1 && !c.channels_first && c.inputs < few_channels;
}

Status add_products_to_input(
    const Launch& launch, const Convolution& c, const ConvolutionData<float>& data) {
  // Of as many images at once as the caches hold, but of some.
  constexpr int64_t elements_at_once = 1 << 20, images_at_once = 4;
  const auto columns = c.taps() * c.inputs, each = c.out_positions() * columns;
  const auto some = std::min(c.batch, std::max(images_at_once, elements_at_once / each));
  auto memory = launch.allocate(DType::float32, {some, each});
  if (!memory) return memory.status();
  auto* products = memory->mutable_data<float>();
  for (int64_t first = 0; first < c.batch; first += some) {
    const auto images = std::min(some, c.batch - first);
    auto status = multiply_matrices(Product<float>{
        .rows = images * c.out_positions(),
        .inner = c.outputs,
        .columns = columns,
        .transpose_a = false,
        .transpose_b = true,
        .a = data.output + first * c.out_positions() * c.outputs,
        .b = data.filter,
        .out = products,
        .a_stride = c.outputs,
        .b_stride = c.outputs,
        .out_stride = columns});
    if (!status.ok()) return status;
    parallel_ranges(images, each, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i)
        add_to_pixels(
            c, products + i * each, data.result + (first + i) * c.in_positions() * c.inputs);
    });
  }
  return {};
}

}  // namespace troupe::cpu
