#include "troupe/devices/cpu/summary/sounds.hpp"

#include <algorithm>
#include <cmath>

#include "troupe/devices/cpu/audio/wave_file.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/proto/summary.hpp"

namespace troupe::cpu {
namespace {

struct Sounds {
  int64_t count;
  WaveForm form;
};

Result<Sounds> sounds_of(const Tensor& tensor, float rate) {
  const auto& shape = tensor.shape();
  if (shape.rank() != 2 && shape.rank() != 3)
    return invalid_argument("Tensor must be 3-D or 2-D, got: " + shape.to_string());
  if (!(rate > 0)) return invalid_argument("sample_rate must be > 0");
  if (rate >= 4294967296.0f)
    return invalid_argument(
        "sample_rate must be in (0, 2^32), got: " + std::to_string(static_cast<double>(rate)));
  Sounds sounds{
      .count = shape[0],
      .form = {
          .frames = shape[1],
          .channels = shape.rank() == 2 ? 1 : shape[2],
          .rate = static_cast<uint32_t>(std::max(1.0f, std::nearbyint(rate)))}};
  if (sounds.count == 0) return sounds;
  auto status = check_wave(sounds.form.frames, sounds.form.channels, sounds.form.rate);
  if (!status.ok()) return status;
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
    const auto& form = sounds->form;
    auto file = encode_wave(tensor.values<float>().data() + i * form.samples(), form);
    bytes += sound_summary(name, {rate, form.channels, form.frames, std::move(file)});
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
