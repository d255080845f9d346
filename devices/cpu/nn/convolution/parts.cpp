#include "troupe/devices/cpu/nn/convolution/parts.hpp"

#include <algorithm>

namespace troupe::cpu {
namespace {

int64_t divide_up(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

/// Rows of the input and the output that depend on each other.
class Rows {
 public:
  explicit Rows(const Convolution& c)
      : axis_(static_cast<size_t>(3 - c.spatial)),
        in_(c.in[axis_]),
        out_(c.out[axis_]),
        stride_(c.strides[axis_]),
        before_(c.before[axis_]),
        window_((c.kernel[axis_] - 1) * c.dilations[axis_] + 1) {}

  int64_t in() const { return in_; }
  int64_t out() const { return out_; }

  /// The image of which only the output's rows [begin, end) are computed.
  ConvolutionPart of_output(const Convolution& image, int64_t begin, int64_t end) const {
    auto first = begin * stride_ - before_, last = (end - 1) * stride_ - before_ + window_;
    auto in_begin = std::clamp<int64_t>(first, 0, in_), in_end = std::clamp<int64_t>(last, 0, in_);
    return part(image, in_begin, in_end, begin, end, in_begin - first, last - in_end);
  }

  /// The image of which only the gradients of the input's rows [begin, end) are computed.
  ConvolutionPart of_input(const Convolution& image, int64_t begin, int64_t end) const {
    auto first = std::max<int64_t>(0, divide_up(begin + before_ - window_ + 1, stride_));
    auto last = std::min(out_, (end - 1 + before_) / stride_ + 1);
    auto before = begin + before_ - first * stride_;
    auto after = (last - first - 1) * stride_ + window_ - before - (end - begin);
    return part(image, begin, end, first, last, before, std::max<int64_t>(0, after));
  }

 private:
  ConvolutionPart part(
      const Convolution& image, int64_t in_begin, int64_t in_end, int64_t out_begin,
      int64_t out_end, int64_t before, int64_t after) const {
    ConvolutionPart part{image};
    auto& c = part.convolution;
    part.input = in_begin * (c.in_positions() / in_) * c.in_channels();
    part.output = out_begin * (c.out_positions() / out_) * c.out_channels();
    c.in[axis_] = in_end - in_begin;
    c.out[axis_] = out_end - out_begin;
    c.before[axis_] = before;
    c.after[axis_] = after;
    return part;
  }

  const size_t axis_;
  const int64_t in_, out_, stride_, before_, window_;
};

Convolution with_batch(Convolution c, int64_t batch) {
  c.batch = batch;
  return c;
}

std::vector<ConvolutionPart> split_images(const Convolution& whole, int64_t count) {
  std::vector<ConvolutionPart> parts;
  for (int64_t i = 0; i < count; ++i) {
    auto begin = whole.batch * i / count, end = whole.batch * (i + 1) / count;
    parts.push_back(
        {with_batch(whole, end - begin), begin * whole.in_channels() * whole.in_positions(),
         begin * whole.out_channels() * whole.out_positions()});
  }
  return parts;
}

/// Empty where some rows would have nothing to compute from.
std::vector<ConvolutionPart> split_rows(
    const Convolution& whole, ConvolutionPass pass, int64_t each) {
  Rows rows(whole);
  auto count = pass == ConvolutionPass::input ? rows.in() : rows.out();
  each = std::min(each, count);
  std::vector<ConvolutionPart> parts;
  for (const auto& image : split_images(whole, whole.batch)) {
    for (int64_t i = 0; i < each; ++i) {
      auto begin = count * i / each, end = count * (i + 1) / each;
      auto part = pass == ConvolutionPass::input ? rows.of_input(image.convolution, begin, end)
                                                 : rows.of_output(image.convolution, begin, end);
      const auto& c = part.convolution;
      if (c.in_positions() <= 0 || c.out_positions() <= 0) return {};
      part.input += image.input;
      part.output += image.output;
      parts.push_back(part);
    }
  }
  return parts;
}

}  // namespace

std::vector<ConvolutionPart> split_convolution(
    const Convolution& whole, ConvolutionPass pass, int64_t threads) {
  constexpr double split_flops = 2e6;
  if (whole.flops() < split_flops) return split_images(whole, 1);
  if (whole.batch < threads && !whole.channels_first)
    if (auto parts = split_rows(whole, pass, (threads - 1) / whole.batch + 1); !parts.empty())
      return parts;
  return split_images(whole, std::min(threads, whole.batch));
}

}  // namespace troupe::cpu
