#include <algorithm>

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// The distances between neighbours of a batch of images.
struct ImageStrides {
  int64_t image, position, channel;

  ImageStrides(int64_t channels, int64_t positions, bool channels_first)
      : image(channels * positions),
        position(channels_first ? 1 : channels),
        channel(channels_first ? positions : 1) {}
};

/// Calls f(input position, output position) for all outputs that a tap has an input for.
template <class F>
void each_position(const Convolution& c, int64_t tap_number, const F& f) {
  auto tap = c.tap(tap_number);
  Convolution::Sizes at{};
  int64_t out = 0;
  for (at[0] = 0; at[0] < c.out[0]; ++at[0])
    for (at[1] = 0; at[1] < c.out[1]; ++at[1])
      for (at[2] = 0; at[2] < c.out[2]; ++at[2], ++out)
        if (auto in = c.input_position(tap, at); in >= 0) f(in, out);
}

struct ConvolutionRange {
  int64_t begin, end;
};

/// Calls f(input, filter row, output row), as offsets, for all products: a channel of the input
/// with all outputs of its group, which a row of the filter has the factors for.
template <class F>
void each_product(
    const Convolution& c, ConvolutionRange images, ConvolutionRange taps, const F& f) {
  ImageStrides x(c.in_channels(), c.in_positions(), c.channels_first);
  ImageStrides y(c.out_channels(), c.out_positions(), c.channels_first);
  for (auto image = images.begin; image < images.end; ++image)
    for (auto tap = taps.begin; tap < taps.end; ++tap)
      each_position(c, tap, [&](int64_t in, int64_t out) {
        auto input = image * x.image + in * x.position;
        auto output = image * y.image + out * y.position;
        auto filter = tap * c.inputs * c.out_channels();
        for (int64_t group = 0; group < c.groups; ++group)
          for (int64_t i = 0; i < c.inputs; ++i)
            f(input + (group * c.inputs + i) * x.channel,
              filter + i * c.out_channels() + group * c.outputs,
              output + group * c.outputs * y.channel);
      });
}

/// Of cheap element-wise work, for each of `count` parts.
int64_t work_each(const Convolution& c, int64_t count) {
  return static_cast<int64_t>(std::min(c.flops(), 1e12)) / count;
}

template <class T>
void add_products_to_filter(const Convolution& c, const ConvolutionData<T>& data) {
  auto step = c.channels_first ? c.out_positions() : 1;  // between outputs of a row
  auto row = c.filter_elements() / c.taps();
  auto* result = data.result;
  parallel_ranges(c.taps(), work_each(c, c.taps()), [&](int64_t begin, int64_t end) {
    std::fill(result + begin * row, result + end * row, T(0));
    each_product(c, {0, c.batch}, {begin, end}, [&](int64_t x, int64_t w, int64_t y) {
      for (int64_t o = 0; o < c.outputs; ++o)
        result[w + o] += data.input[x] * data.output[y + o * step];
    });
  });
}

/// To the output or, else, to the input.
template <class T>
void add_products_to_images(const Convolution& c, bool to_output, const ConvolutionData<T>& data) {
  auto step = c.channels_first ? c.out_positions() : 1;
  auto size = to_output ? c.out_channels() * c.out_positions() : c.in_channels() * c.in_positions();
  auto* result = data.result;
  parallel_ranges(c.batch, work_each(c, c.batch), [&](int64_t begin, int64_t end) {
    std::fill(result + begin * size, result + end * size, T(0));
    each_product(c, {begin, end}, {0, c.taps()}, [&](int64_t x, int64_t w, int64_t y) {
      if (to_output) {
        for (int64_t o = 0; o < c.outputs; ++o)
          result[y + o * step] += data.input[x] * data.filter[w + o];
        return;
      }
      T sum = 0;
      for (int64_t o = 0; o < c.outputs; ++o) sum += data.output[y + o * step] * data.filter[w + o];
      result[x] += sum;
    });
  });
}

}  // namespace

template <class T>
void convolve_by_loops(const Convolution& c, ConvolutionPass pass, const ConvolutionData<T>& data) {
  if (pass == ConvolutionPass::filter) add_products_to_filter(c, data);
  else add_products_to_images(c, pass == ConvolutionPass::output, data);
}

template void convolve_by_loops(const Convolution&, ConvolutionPass, const ConvolutionData<float>&);
template void convolve_by_loops(
    const Convolution&, ConvolutionPass, const ConvolutionData<double>&);

}  // namespace troupe::cpu
