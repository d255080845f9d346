#include <bit>
#include <string>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The size that an attribute says; -1 is one that only the file tells.
Result<int64_t> wanted_size(const ShapeInference& s, const char* attr, const char* what) {
  auto size = s.attr<int64_t>(attr);
  if (size == -1) return Shape::unknown;
  if (size < 0)
    return invalid_argument(
        std::string(what) + " must be non-negative, got " + std::to_string(size));
  return size;
}

Status infer_decoded(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  auto channels = wanted_size(s, "desired_channels", "channels");
  if (!channels) return channels.status();
  auto samples = wanted_size(s, "desired_samples", "samples");
  if (!samples) return samples.status();
  s.set(0, {*samples, *channels});
  s.set(1, Shape());
  return {};
}

Status infer_encoded(ShapeInference& s) {
  s.set(0, Shape());
  auto status = s.need_rank(0, 2);
  return status.ok() ? s.need_rank(1, 0) : status;
}

/// A slice for each window that is whole, with the frequencies of the next power of two.
Status infer_spectrogram(ShapeInference& s) {
  if (auto status = s.need_rank(0, 2); !status.ok()) return status;
  auto window = s.attr<int64_t>("window_size"), stride = s.attr<int64_t>("stride");
  constexpr int64_t longest = int64_t{1} << 26;
  if (window < 2 || window > longest || stride < 1)
    return invalid_argument(
        "Spectrogram initialization failed for window size " + std::to_string(window) +
        " and stride " + std::to_string(stride));
  const auto& input = s.input(0);
  auto frequencies = 1 + static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window)) / 2);
  Shape shape{Shape::unknown, Shape::unknown, frequencies};
  if (input.has_rank()) {
    shape.set(0, input[1]);
    if (input[0] != Shape::unknown)
      shape.set(1, input[0] < window ? 0 : 1 + (input[0] - window) / stride);
  }
  s.set(0, shape);
  return {};
}

Status infer_cepstrum(ShapeInference& s) {
  for (auto [index, rank] : {std::pair{0, 3}, {1, 0}})
    if (auto status = s.need_rank(index, rank); !status.ok()) return status;
  auto count = s.attr<int64_t>("dct_coefficient_count");
  if (count < 1)
    return invalid_argument(
        "Mfcc initialization failed: 'dct_coefficient_count' must be positive, but is " +
        std::to_string(count));
  Shape shape{Shape::unknown, Shape::unknown, count};
  const auto& spectrogram = s.input(0);
  for (int axis = 0; axis < 2 && spectrogram.has_rank(); ++axis)
    shape.set(axis, spectrogram[axis]);
  s.set(0, shape);
  return {};
}

void add_file_ops(OpCatalog& catalog) {
  catalog.add(Op("DecodeWav")
      .doc("The samples [samples, channels] in a WAV file of 16-bit numbers, divided by 32768, and "
           "how many there are in a second. `desired_channels` and `desired_samples` (-1: as in "
           "the file) leave out what is more; the last channel stands for more channels, and zeros "
           "for more samples.")
      .input("contents", DType::string)
      .output("audio", DType::float32)
      .output("sample_rate", DType::int32)
      .attr("desired_channels", -1)
      .attr("desired_samples", -1)
      .infer_shape(infer_decoded));
  catalog.add(Op("EncodeWav")
      .doc("Samples [samples, channels] as a WAV file of 16-bit numbers; those outside of [-1, 1] "
           "are clipped.")
      .input("audio", DType::float32)
      .input("sample_rate", DType::int32)
      .output("contents", DType::string)
      .infer_shape(infer_encoded));
}

void add_spectrum_ops(OpCatalog& catalog) {
  catalog.add(Op("AudioSpectrogram")
      .doc("How strong each frequency is in each window of samples [samples, channels]: "
           "[channels, windows, frequencies]. Windows of `window_size` samples begin every "
           "`stride` samples and are weighted by a Hann window; frequencies are those of the next "
           "power of two. With `magnitude_squared` the squares of the magnitudes.")
      .input("input", DType::float32)
      .output("spectrogram", DType::float32)
      .attr("window_size", AttrType::integer)
      .attr("stride", AttrType::integer)
      .attr("magnitude_squared", false)
      .infer_shape(infer_spectrogram));
  catalog.add(Op("Mfcc")
      .doc("The mel-frequency cepstral coefficients of a spectrogram of squared magnitudes "
           "[channels, windows, frequencies]: [channels, windows, coefficients]. They are the "
           "first `dct_coefficient_count` of the cosine transform of the logarithms of what "
           "`filterbank_channel_count` triangular filters pass, which lie evenly on the mel scale "
           "between the two limits in hertz.")
      .input("spectrogram", DType::float32)
      .input("sample_rate", DType::int32)
      .output("output", DType::float32)
      .attr("upper_frequency_limit", 4000.0f)
      .attr("lower_frequency_limit", 20.0f)
      .attr("filterbank_channel_count", 40)
      .attr("dct_coefficient_count", 13)
      .infer_shape(infer_cepstrum));
}

}  // namespace

void add_sounds_ops(OpCatalog& catalog) {
  add_file_ops(catalog);
  add_spectrum_ops(catalog);
}

}  // namespace troupe
