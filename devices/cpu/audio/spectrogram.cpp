#include <bit>
#include <cmath>
#include <vector>

#include "troupe/devices/cpu/audio/sounds.hpp"
#include "troupe/devices/cpu/linalg/line_transform.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

struct SpectrogramForm {
  int64_t window, stride, length;  // the length of the transform
  bool is_squared;

  static SpectrogramForm of(const Node& node) {
    auto window = node.attr<int64_t>("window_size");
    return {
        .window = window,
        .stride = node.attr<int64_t>("stride"),
        .length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window))),
        .is_squared = node.attr<bool>("magnitude_squared")};
  }
  int64_t frequencies() const { return 1 + length / 2; }
  int64_t windows_of(int64_t samples) const {
    return samples < window ? 0 : 1 + (samples - window) / stride;
  }
};

/// The weights of a window: 0 at its begin, as a window follows that begins there.
std::vector<double> hann_weights(int64_t size) {
  constexpr double pi = 3.14159265358979323846;
  std::vector<double> weights(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    weights[static_cast<size_t>(i)] =
        0.5 - 0.5 * std::cos(2 * pi * static_cast<double>(i) / static_cast<double>(size));
  return weights;
}

/// Fills slices [begin, end), counted over all channels. In double, as TensorFlow.
void fill_slices(
    float* out, const Tensor& input, const SpectrogramForm& form,
    const std::vector<double>& weights, std::pair<int64_t, int64_t> range) {
  auto windows = form.windows_of(input.shape()[0]), channels = input.shape()[1];
  const auto* samples = input.data<float>();
  LineTransform<double> transform(form.length, /*is_inverse=*/false);
  std::vector<double> line(static_cast<size_t>(form.length));
  std::vector<std::complex<double>> spectrum(line.size());
  for (auto slice = range.first; slice < range.second; ++slice) {
    const auto* first = samples + slice % windows * form.stride * channels + slice / windows;
    for (int64_t i = 0; i < form.window; ++i)
      line[static_cast<size_t>(i)] =
          static_cast<double>(first[i * channels]) * weights[static_cast<size_t>(i)];
    transform.run(spectrum.data(), line.data());
    auto* to = out + slice * form.frequencies();
    for (int64_t i = 0; i < form.frequencies(); ++i) {
      auto value = spectrum[static_cast<size_t>(i)];
      auto square = static_cast<float>(value.real() * value.real() + value.imag() * value.imag());
      to[i] = form.is_squared ? square : std::sqrt(square);
    }
  }
}

Status compute_spectrogram(Launch& launch, const SpectrogramForm& form) {
  const auto& input = launch.input(0);
  if (input.shape().rank() != 2)
    return invalid_argument("input must be 2-dimensional, but is " + input.shape().to_string());
  auto windows = form.windows_of(input.shape()[0]), channels = input.shape()[1];
  int64_t sizes[] = {channels, windows, form.frequencies()};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::float32, *shape);
  if (!out) return out.status();
  auto* slices = out->mutable_data<float>();
  if (out->elements() > 0) {  // else the window may be far longer than the input
    auto weights = hann_weights(form.window);
    constexpr int64_t work_of_element = 4;
    parallel_ranges(
        channels * windows, form.length * work_of_element, [&](int64_t begin, int64_t end) {
          fill_slices(slices, input, form, weights, {begin, end});
        });
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_spectrogram_kernel(KernelCatalog& catalog) {
  catalog.add("AudioSpectrogram", [](const Node& node) -> Result<Kernel> {
    return Kernel{
        .compute = [form = SpectrogramForm::of(node)](
                       Launch& launch) { return compute_spectrogram(launch, form); },
        .cost_ns = [](const Launch& launch) { return 100 * launch.input(0).elements(); }};
  });
}

}  // namespace troupe::cpu
