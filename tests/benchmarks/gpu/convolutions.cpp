// How long do the convolutions of ResNet-50 take?
#include <cmath>
#include <limits>

#include "troupe/graph/build/nn/convolution.hpp"
#include "troupe/tests/benchmarks/gpu/figures.hpp"
#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

namespace troupe::bench {
namespace {

constexpr int64_t batch = 32;
constexpr int convolutions_of_step = 50;  // so that the end of a step counts little

struct Layer {
  int64_t kernel, stride, inputs, outputs, size;

  std::string name() const {
    return std::to_string(kernel) + "x" + std::to_string(kernel) + "_" + std::to_string(inputs) +
           "_" + std::to_string(outputs) + "_" + std::to_string(size);
  }
  double flops() const {
    auto out = size / stride;
    return 2.0 * static_cast<double>(batch * out * out * outputs * inputs * kernel * kernel);
  }
};

/// Padded by as much on both sides, as in PyTorch.
nn::ConvolutionOptions options_of(const Layer& layer, const std::string& format) {
  auto padding = layer.kernel / 2;
  nn::ConvolutionOptions options{
      .strides = {layer.stride}, .padding = "EXPLICIT", .data_format = format};
  options.explicit_paddings = {0, 0, padding, padding, padding, padding, 0, 0};
  if (format == "NCHW")
    options.explicit_paddings = {0, 0, 0, 0, padding, padding, padding, padding};
  return options;
}

Result<double> seconds_of_one(
    const Layer& layer, Precision precision, const std::string& format, double seconds) {
  GpuProgram program({.allows_tf32 = precision == Precision::tf32});
  Shape images{batch, layer.size, layer.size, layer.inputs};
  if (format == "NCHW") images = {batch, layer.inputs, layer.size, layer.size};
  auto x = program.random("x", images, dtype_of(precision)).value();
  Shape filter_shape{layer.kernel, layer.kernel, layer.inputs, layer.outputs};
  auto filter = program.random("filter", filter_shape, dtype_of(precision)).value();
  Values convolved;
  for (int i = 0; i < convolutions_of_step; ++i)
    convolved.push_back(nn::conv2d(program.b(), x, filter, options_of(layer, format)));
  auto step = program.b().group(convolved);
  if (auto status = program.initialize(); !status.ok()) return status;
  auto time = program.seconds_of(step, seconds);
  if (!time) return time;
  return *time / convolutions_of_step;
}

/// That of the better layout of the images; an error where there is none that works.
Result<Figure> measure_layer(const Layer& layer, Precision precision, double seconds) {
  auto best = std::numeric_limits<double>::infinity();
  std::string note;
  Status failed;
  for (const std::string format : {"NHWC", "NCHW"}) {
    auto time = seconds_of_one(layer, precision, format, seconds / 2);
    if (!time) failed = time.status();
    best = time ? std::min(best, *time) : best;
    note += format + " " + (time ? to_text(*time * 1e6, 1) + " us" : failed.message()) + ", ";
  }
  if (std::isinf(best)) return failed;
  return Figure{best * 1e6, note + to_text(layer.flops() / best / 1e12, 1) + " TFLOP/s"};
}

}  // namespace

void add_convolutions(GpuRows& rows) {
  const Layer layers[] = {{7, 2, 3, 64, 224},   {1, 1, 64, 256, 56},  {3, 1, 64, 64, 56},
                          {3, 1, 128, 128, 28}, {3, 1, 256, 256, 14}, {1, 1, 256, 1024, 14},
                          {3, 1, 512, 512, 7}};
  for (const auto& layer : layers)
    for (auto precision : {Precision::float32, Precision::tf32, Precision::bfloat16})
      rows.push_back(
          {.name = "conv_" + layer.name() + "_" + to_string(precision),
           .what = "a convolution of " + std::to_string(batch) +
                   " images (kernel_inputs_outputs_size), " + to_string(precision) +
                   ", in the better layout",
           .unit = "us",
           .measure = [=](double seconds) { return measure_layer(layer, precision, seconds); }});
}

}  // namespace troupe::bench
