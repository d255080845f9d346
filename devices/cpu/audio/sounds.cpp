#include "troupe/devices/cpu/audio/sounds.hpp"

#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/audio/wave_file.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// The frames of a file, of which the last channel stands for those that it has not; what is behind
/// its end is silent.
void fill_frames(float* out, const Shape& shape, const WaveContents& contents) {
  auto channels = shape[1], frames = std::min(shape[0], contents.form.frames);
  parallel_ranges(frames, 2 * channels, [&](int64_t begin, int64_t end) {
    for (auto frame = begin; frame < end; ++frame)
      for (int64_t channel = 0; channel < channels; ++channel)
        out[frame * channels + channel] =
            contents.value(frame, std::min(channel, contents.form.channels - 1));
  });
  std::fill(out + frames * channels, out + shape.elements(), 0.0f);
}

Status compute_decoded(Launch& launch, int64_t wanted_frames, int64_t wanted_channels) {
  auto file = scalar_string(launch, 0, "contents");
  if (!file) return file.status();
  if (file->size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return invalid_argument("WAV contents are too large for int: " + std::to_string(file->size()));
  auto contents = decode_wave(*file);
  if (!contents) return contents.status();
  int64_t sizes[] = {
      wanted_frames < 0 ? contents->form.frames : wanted_frames,
      wanted_channels < 0 ? contents->form.channels : wanted_channels};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto audio = launch.allocate(DType::float32, *shape), rate = launch.allocate(DType::int32, {});
  for (const auto* tensor : {&audio, &rate})
    if (!*tensor) return tensor->status();
  fill_frames(audio->mutable_data<float>(), *shape, *contents);
  *rate->mutable_data<int32_t>() = static_cast<int32_t>(contents->form.rate);
  launch.set(0, *std::move(audio));
  launch.set(1, *std::move(rate));
  return {};
}

Status compute_encoded(Launch& launch) {
  const auto &audio = launch.input(0), &rate = launch.input(1);
  if (audio.shape().rank() != 2)
    return invalid_argument("audio must be 2-dimensional, but is " + audio.shape().to_string());
  if (!rate.shape().is_scalar())
    return invalid_argument(
        "Input sample_rate should be a scalar tensor, got " + rate.shape().to_string() +
        " instead.");
  if (audio.elements() >= std::numeric_limits<int32_t>::max())
    return invalid_argument("Cannot encode audio with >= max int32 elements");
  auto frames = audio.shape()[0], channels = audio.shape()[1];
  auto frequency = int64_t{rate.value<int32_t>()};
  if (auto status = check_wave(frames, channels, frequency); !status.ok()) return status;
  auto out = launch.allocate(DType::string, {});
  if (!out) return out.status();
  WaveForm form{frames, channels, static_cast<uint32_t>(frequency)};
  *out->mutable_data<std::string>() = encode_wave(audio.data<float>(), form);
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_sounds_kernels(KernelCatalog& catalog) {
  catalog.add("DecodeWav", [](const Node& node) -> Result<Kernel> {
    auto compute = [frames = node.attr<int64_t>("desired_samples"),
                    channels = node.attr<int64_t>("desired_channels")](Launch& launch) {
      return compute_decoded(launch, frames, channels);
    };
    // A sound has many times more bytes than the one element that it is.
    return Kernel{.compute = compute, .cost_ns = [](const Launch&) { return 50'000; }};
  });
  catalog.add_compute("EncodeWav", compute_encoded);
  add_spectrogram_kernel(catalog);
  add_cepstrum_kernel(catalog);
}

}  // namespace troupe::cpu
