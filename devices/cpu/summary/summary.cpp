#include "troupe/graph/proto/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/image/codecs.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/summary/sounds.hpp"

namespace troupe::cpu {
namespace {

Status set_summary(Launch& launch, std::string bytes) {
  auto out = launch.allocate(DType::string, {});
  if (!out) return out.status();
  *out->mutable_data<std::string>() = std::move(bytes);
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status summarize_scalars(Launch& launch) {
  const auto &tags = launch.input(0), &values = launch.input(1);
  auto names = tags.values<std::string>();
  if (tags.shape() != values.shape())
    return invalid_argument(
        "tags and values not the same shape: " + tags.shape().to_string() + " != " +
        values.shape().to_string() + (names.size() == 1 ? " (tag '" + names[0] + "')" : ""));
  std::string bytes;
  for (size_t i = 0; i < names.size(); ++i)
    bytes += scalar_summary(names[i], static_cast<float>(values.values<T>()[i]));
  return set_summary(launch, std::move(bytes));
}

Result<std::string> tag_of(const Launch& launch) {
  const auto& tag = launch.input(0);
  if (tag.shape().is_scalar()) return tag.values<std::string>()[0];
  return invalid_argument("tags must be scalar, but have the shape " + tag.shape().to_string());
}

template <class T>
Status summarize_histogram(Launch& launch, const std::string& node) {
  auto tag = tag_of(launch);
  if (!tag) return tag.status();
  SummaryHistogram histogram;
  for (auto element : launch.input(1).values<T>()) {
    auto value = static_cast<double>(element);
    if (std::isnan(value)) return invalid_argument("Nan in summary histogram for: " + node);
    if (std::isinf(value)) return invalid_argument("Infinity in summary histogram for: " + node);
    histogram.add(value);
  }
  return set_summary(launch, histogram_summary(*tag, histogram));
}

/// The size of each image of a batch.
Result<ImageSize> size_of_images(const Tensor& images) {
  const auto& shape = images.shape();
  if (shape.rank() != 4 || (shape[3] != 1 && shape[3] != 3 && shape[3] != 4))
    return invalid_argument(
        "Tensor must be 4-D with last dim 1, 3, or 4, not " + shape.to_string());
  ImageSize size{shape[1], shape[2], shape[3]};
  constexpr int64_t most = int64_t{1} << 31;
  if (shape[0] >= most || size.height >= most || size.width >= most ||
      size.height * size.width >= max_image_samples)
    return invalid_argument("Tensor too large for summary " + shape.to_string());
  if (size.elements() == 0)
    return invalid_argument("input tensor must have non-zero dims. Found: " + shape.to_string());
  return size;
}

template <class T>
bool is_finite_pixel(const T* pixel, int64_t channels) {
  return std::all_of(
      pixel, pixel + channels, [](T value) { return std::isfinite(static_cast<float>(value)); });
}

/// What maps the finite pixels of an image into bytes.
template <class T>
struct ByteRange {
  T scale, offset;

  static ByteRange of(const T* values, int64_t pixels, int64_t channels) {
    float least = std::numeric_limits<float>::infinity(), most = -least;
    for (int64_t i = 0; i < pixels * channels; i += channels)
      if (is_finite_pixel(values + i, channels))
        for (auto j = i; j < i + channels; ++j) {
          least = std::min(least, static_cast<float>(values[j]));
          most = std::max(most, static_cast<float>(values[j]));
        }
    constexpr float zero = 1e-6f;
    if (least >= 0) return {static_cast<T>(most < zero ? 0.0f : 255.0f / most), T(0.0f)};
    auto farthest = std::max(std::abs(least), std::abs(most));
    return {static_cast<T>(farthest < zero ? 0.0f : 127.0f / farthest), T(128.0f)};
  }

  uint8_t operator()(T value) const {
    // In T, as the scale may round; what leaves the range by that stays at its ends.
    auto scaled = static_cast<double>(static_cast<T>(static_cast<T>(value * scale) + offset));
    return static_cast<uint8_t>(std::clamp(scaled, 0.0, 255.0));
  }
};

template <class T>
std::vector<uint8_t> to_bytes(
    const T* values, const ImageSize& size, std::span<const uint8_t> bad_color) {
  auto pixels = size.height * size.width;
  auto range = ByteRange<T>::of(values, pixels, size.channels);
  std::vector<uint8_t> bytes(static_cast<size_t>(size.elements()));
  for (int64_t i = 0; i < size.elements(); i += size.channels) {
    auto* out = bytes.data() + i;
    if (is_finite_pixel(values + i, size.channels))
      std::transform(values + i, values + i + size.channels, out, range);
    else std::copy_n(bad_color.begin(), size.channels, out);
  }
  return bytes;
}

/// The PNG file of one image of a batch.
template <class T>
Result<std::string> encode_image(const T* values, const ImageSize& size, const Tensor& bad_color) {
  constexpr int usual_compression = -1;
  if constexpr (std::is_same_v<T, uint8_t>)
    return encode_png(values, size, false, usual_compression);
  else
    return encode_png(
        to_bytes(values, size, bad_color.values<uint8_t>()).data(), size, false, usual_compression);
}

template <class T>
Status summarize_images(Launch& launch, int64_t max_images, const Tensor& bad_color) {
  auto tag = tag_of(launch);
  if (!tag) return tag.status();
  const auto& images = launch.input(1);
  auto size = size_of_images(images);
  if (!size) return size.status();
  if (!std::is_same_v<T, uint8_t> && bad_color.shape()[0] < size->channels)
    return invalid_argument(
        "expected depth <= bad_color.size, got depth = " + std::to_string(size->channels) +
        ", bad_color.size = " + std::to_string(bad_color.shape()[0]));
  std::string bytes;
  for (int64_t i = 0; i < std::min(max_images, images.shape()[0]); ++i) {
    auto file = encode_image(images.values<T>().data() + i * size->elements(), *size, bad_color);
    if (!file) return file.status();
    auto name = *tag + "/image" + (max_images > 1 ? "/" + std::to_string(i) : "");
    bytes += image_summary(
        name, {static_cast<int>(size->height), static_cast<int>(size->width),
               static_cast<int>(size->channels), *std::move(file)});
  }
  return set_summary(launch, std::move(bytes));
}

Result<Kernel> make_image_summary(const Node& node) {
  auto max_images = node.attr<int64_t>("max_images");
  if (max_images < 1 || max_images >= int64_t{1} << 31)
    return invalid_argument(
        "'max_images' must be from 1 to 2^31 - 1, but is " + std::to_string(max_images));
  const auto& bad_color = node.attr<Tensor>("bad_color");
  if (bad_color.dtype() != DType::uint8 || bad_color.shape().rank() != 1)
    return invalid_argument(
        std::string("bad_color must be a vector of uint8, but is ") + to_string(bad_color.dtype()) +
        bad_color.shape().to_string());
  constexpr Types<uint8_t, float16, float, double> types;
  return dispatch(types, node.attr<DType>("T"), [&](auto zero) -> Result<Kernel> {
    return string_kernel([max_images, bad_color](Launch& launch) {
      return summarize_images<decltype(zero)>(launch, max_images, bad_color);
    });
  });
}

Status summarize_named_tensor(Launch& launch, const std::string& node) {
  auto bytes = tensor_summary("", node, launch.input(0), {});
  return bytes ? set_summary(launch, *std::move(bytes)) : bytes.status();
}

Status summarize_tensor(Launch& launch) {
  auto tag = tag_of(launch);
  if (!tag) return tag.status();
  auto metadata = scalar_string(launch, 2, "serialized_summary_metadata");
  if (!metadata) return metadata.status();
  auto bytes = tensor_summary(*tag, "", launch.input(1), *metadata);
  return bytes ? set_summary(launch, *std::move(bytes)) : bytes.status();
}

Status merge_all(Launch& launch) {
  std::vector<std::span<const std::string>> summaries;
  for (int i = 0; i < launch.input_count(); ++i)
    summaries.push_back(launch.input(i).values<std::string>());
  auto bytes = merge_summaries(summaries);
  return bytes ? set_summary(launch, *std::move(bytes)) : bytes.status();
}

}  // namespace

void add_summary_kernels(KernelCatalog& catalog) {
  catalog.add("ScalarSummary", [](const Node& node) {
    return dispatch(Real{}, node.attr<DType>("T"), [](auto zero) -> Result<Kernel> {
      return string_kernel(summarize_scalars<decltype(zero)>);
    });
  });
  catalog.add("HistogramSummary", [](const Node& node) {
    return dispatch(Real{}, node.attr<DType>("T"), [&](auto zero) -> Result<Kernel> {
      return string_kernel([name = node.name](Launch& launch) {
        return summarize_histogram<decltype(zero)>(launch, name);
      });
    });
  });
  catalog.add("ImageSummary", make_image_summary);
  catalog.add("TensorSummary", [](const Node& node) -> Result<Kernel> {
    return string_kernel(
        [name = node.name](Launch& launch) { return summarize_named_tensor(launch, name); });
  });
  add_string_kernel(catalog, "TensorSummaryV2", summarize_tensor);
  add_string_kernel(catalog, "MergeSummary", merge_all);
  add_sound_summary_kernels(catalog);
}

}  // namespace troupe::cpu
