#include "troupe/devices/cpu/summary/sounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/proto/summary.hpp"

namespace troupe::cpu {
namespace {

constexpr int64_t bytes_per_sample = 2;
constexpr int64_t header_bytes = 44;

/// Appends numbers with their lowest byte first.
void append(std::string& bytes, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
}

int16_t to_sample(float value) {
  constexpr float least = std::numeric_limits<int16_t>::min();
  constexpr float most = std::numeric_limits<int16_t>::max();
  return static_cast<int16_t>(std::min(std::max(std::round(value * 32768.0f), least), most));
}

struct Sounds {
  int64_t count, frames, channels;
  uint32_t rate;

  int64_t samples() const { return frames * channels; }
};

/// A file of 16-bit samples, as WAV.
std::string encode_wav(const float* values, const Sounds& sounds) {
  auto data_bytes = static_cast<uint32_t>(sounds.samples() * bytes_per_sample);
  auto frame_bytes = static_cast<uint32_t>(sounds.channels * bytes_per_sample);
  std::string bytes = "RIFF";
  append(bytes, data_bytes + static_cast<uint32_t>(header_bytes) - 8, 4);
  bytes += "WAVEfmt ";
  append(bytes, 16, 4);  // the bytes of what follows, up to the data
  append(bytes, 1, 2);   // without compression
  append(bytes, static_cast<uint32_t>(sounds.channels), 2);
  append(bytes, sounds.rate, 4);
  append(bytes, sounds.rate * frame_bytes, 4);
  append(bytes, frame_bytes, 2);
  append(bytes, 8 * bytes_per_sample, 2);
  bytes += "data";
  append(bytes, data_bytes, 4);
  for (int64_t i = 0; i < sounds.samples(); ++i)
    append(bytes, static_cast<uint16_t>(to_sample(values[i])), 2);
  return bytes;
}

Result<Sounds> sounds_of(const Tensor& tensor, float rate) {
  const auto& shape = tensor.shape();
  if (shape.rank() != 2 && shape.rank() != 3)
    return invalid_argument("Tensor must be 3-D or 2-D, got: " + shape.to_string());
  if (!(rate > 0)) return invalid_argument("sample_rate must be > 0");
  if (rate >= 4294967296.0f)
    return invalid_argument(
        "sample_rate must be in (0, 2^32), got: " + std::to_string(static_cast<double>(rate)));
  Sounds sounds{
      shape[0], shape[1], shape.rank() == 2 ? 1 : shape[2],
      static_cast<uint32_t>(std::max(1.0f, std::nearbyint(rate)))};
  if (sounds.count == 0) return sounds;
  if (sounds.channels == 0 || sounds.channels > std::numeric_limits<uint16_t>::max())
    return invalid_argument(
        "num_channels must be in (0, 2^16), got: " + std::to_string(sounds.channels));
  if (sounds.frames == 0) return invalid_argument("num_frames must be positive.");
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  if (sounds.frames > (most - header_bytes) / bytes_per_sample / sounds.channels)
    return invalid_argument("Provided channels and frames cannot be encoded as a WAV.");
  return sounds;
}

Status summarize_sounds(Launch& launch, int64_t max_outputs, float rate) {
  auto tag = scalar_string(launch, 0, "tag");
  if (!tag) return tag.status();
  const auto& tensor = launch.input(1);
  auto sounds = sounds_of(tensor, rate);
  if (!sounds) return sounds.status();
  std::string bytes;
  for (int64_t i = 0; i < std::min(max_outputs, sounds->count); ++i) {
    auto name = *tag + "/audio" + (max_outputs > 1 ? "/" + std::to_string(i) : "");
    auto file = encode_wav(tensor.values<float>().data() + i * sounds->samples(), *sounds);
    bytes += sound_summary(name, {rate, sounds->channels, sounds->frames, std::move(file)});
  }
  auto out = launch.allocate(DType::string, {});
  if (!out) return out.status();
  *out->mutable_data<std::string>() = std::move(bytes);
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_sound_summary_kernels(KernelCatalog& catalog) {
  catalog.add("AudioSummary", [](const Node& node) -> Result<Kernel> {
    return string_kernel([count = node.attr<int64_t>("max_outputs"),
                          rate = node.attr<float>("sample_rate")](Launch& launch) {
      return summarize_sounds(launch, count, rate);
    });
  });
  catalog.add("AudioSummaryV2", [](const Node& node) -> Result<Kernel> {
    return string_kernel([count = node.attr<int64_t>("max_outputs")](Launch& launch) -> Status {
      const auto& rate = launch.input(2);
      if (rate.shape().elements() != 1)
        return invalid_argument(
            "sample_rate must be a scalar, but has the shape " + rate.shape().to_string());
      return summarize_sounds(launch, count, rate.values<float>()[0]);
    });
  });
}

}  // namespace troupe::cpu
