#include <algorithm>
#include <cmath>
#include <random>

#include "troupe/devices/cpu/image/boxes.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"

namespace troupe::cpu {
namespace {

enum class GlimpseNoise : uint8_t { uniform, gaussian, zero };

struct GlimpseNode {
  bool centered, normalized;
  GlimpseNoise noise;
  std::shared_ptr<PhiloxSource> source;

  static Result<GlimpseNode> of(const Node& node) {
    const auto& name = node.attr<std::string>("noise");
    auto is_uniform = node.attr<bool>("uniform_noise");
    if (is_uniform && !name.empty() && name != "uniform")
      return invalid_argument("'uniform_noise' and the noise '" + name + "' exclude each other");
    auto noise = is_uniform || name == "uniform"      ? GlimpseNoise::uniform
                 : name.empty() || name == "gaussian" ? GlimpseNoise::gaussian
                                                      : GlimpseNoise::zero;
    if (noise == GlimpseNoise::zero && name != "zero")
      return invalid_argument(
          "'noise' must be 'uniform', 'gaussian' or 'zero', not '" + name + "'");
    std::random_device device;  // the op has no seed
    auto seed = uint64_t{device()} << 32 | device();
    return GlimpseNode{
        node.attr<bool>("centered"), node.attr<bool>("normalized"), noise,
        std::make_shared<PhiloxSource>(Philox(seed, device()))};
  }

  /// The first pixel of a window of `size` pixels around a position; far outside is far enough.
  int64_t begin(float position, int64_t pixels, int64_t size) const {
    auto all = static_cast<float>(pixels);
    if (normalized) position *= all;
    if (centered) position = position / 2 + all / 2;
    position -= static_cast<float>(size) / 2;
    constexpr float most = 1e15f;
    return std::isnan(position) ? static_cast<int64_t>(most)
                                : static_cast<int64_t>(std::clamp(position, -most, most));
  }
};

/// Numbers of a uniform or normal distribution become noise like the pixels of an image.
void scale_glimpse_noise(
    GlimpseNoise kind, const float* image, int64_t pixels, int64_t channels, float* noise,
    int64_t noise_pixels) {
  if (kind == GlimpseNoise::uniform) {
    auto [low, high] = std::minmax_element(image, image + pixels * channels);
    for (int64_t i = 0; i < noise_pixels * channels; ++i)
      noise[i] = *low + noise[i] * (*high - *low);
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    auto low = image[c], high = image[c];
    for (int64_t i = 0; i < pixels; ++i) {
      auto value = image[i * channels + c];
      sum += static_cast<double>(value);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    auto mean = sum / static_cast<double>(pixels);
    for (int64_t i = 0; i < pixels; ++i) {
      auto distance = static_cast<double>(image[i * channels + c]) - mean;
      squares += distance * distance;
    }
    auto deviation = static_cast<float>(std::sqrt(squares / static_cast<double>(pixels)));
    for (int64_t i = 0; i < noise_pixels; ++i) {
      auto& value = noise[i * channels + c];
      value = std::max(low, std::min(high, static_cast<float>(mean) + value * deviation));
    }
  }
}

Result<Shape> glimpse_shape(const Launch& launch) {
  const auto &images = launch.input(0).shape(), &offsets = launch.input(2).shape();
  if (images.rank() != 4)
    return invalid_argument("'input' must have rank 4, but has the shape " + images.to_string());
  auto size = IntInput::of(launch.input(1));
  if (!size) return size.status();
  if (launch.input(1).shape() != Shape{2} || (*size)[0] < 0 || (*size)[1] < 0)
    return invalid_argument(
        "'size' must be two numbers that are not negative, but is " + launch.input(1).to_string());
  if (offsets != Shape{images[0], 2})
    return invalid_argument(
        "'offsets' must have the shape [" + std::to_string(images[0]) + ",2], but has " +
        offsets.to_string());
  if (images[1] == 0 || images[2] == 0)
    return invalid_argument("'input' must not be empty, but has the shape " + images.to_string());
  return Shape::make(std::array<int64_t, 4>{images[0], (*size)[0], (*size)[1], images[3]});
}

Status extract_glimpse(Launch& launch, const GlimpseNode& node) {
  auto to = glimpse_shape(launch);
  if (!to) return to.status();
  const auto from = launch.input(0).shape();
  auto out = launch.allocate(DType::float32, *to);
  if (!out) return out.status();
  auto* result = out->mutable_data<float>();
  const auto* images = launch.input(0).data<float>();
  const auto* offsets = launch.input(2).data<float>();
  const auto height = (*to)[1], width = (*to)[2], channels = (*to)[3];
  if (node.noise == GlimpseNoise::zero || to->elements() == 0) {
    std::fill_n(result, to->elements(), 0.0f);
  } else {
    auto kind = node.noise == GlimpseNoise::uniform ? Distribution::uniform : Distribution::normal;
    fill_random(kind, node.source->reserve(out->elements()), *out);
  }
  for (int64_t i = 0; i < from[0] && to->elements() > 0; ++i) {
    const auto* image = images + i * from[1] * from[2] * channels;
    auto* glimpse = result + i * height * width * channels;
    if (node.noise != GlimpseNoise::zero)
      scale_glimpse_noise(node.noise, image, from[1] * from[2], channels, glimpse, height * width);
    auto top = node.begin(offsets[2 * i], from[1], height);
    auto left = node.begin(offsets[2 * i + 1], from[2], width);
    auto first = std::clamp<int64_t>(-left, 0, width);
    auto last = std::clamp<int64_t>(from[2] - left, first, width);
    for (int64_t row = 0; row < height; ++row)
      if (top + row >= 0 && top + row < from[1] && first < last)
        std::copy_n(
            image + ((top + row) * from[2] + left + first) * channels, (last - first) * channels,
            glimpse + (row * width + first) * channels);
  }
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_extract_glimpse(const Node& node) {
  auto glimpse = GlimpseNode::of(node);
  if (!glimpse) return glimpse.status();
  return Kernel{
      .compute = [node = *glimpse](Launch& launch) { return extract_glimpse(launch, node); }};
}

}  // namespace

void add_glimpse_kernels(KernelCatalog& catalog) {
  catalog.add("ExtractGlimpse", make_extract_glimpse);
}

}  // namespace troupe::cpu
