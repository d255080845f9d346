#include "troupe/devices/cpu/image/codecs.hpp"

namespace troupe::cpu {
namespace {

Result<ImageSize> size_to_encode(const Tensor& image, int64_t most_channels) {
  const auto& shape = image.shape();
  if (shape.rank() != 3 || shape[2] < 1 || shape[2] > most_channels)
    return invalid_argument(
        "the image must have the shape [height,width,channels] with at most " +
        std::to_string(most_channels) + " channels, but has " + shape.to_string());
  return ImageSize{shape[0], shape[1], shape[2]};
}

Status set_encoded(Launch& launch, Result<std::string> contents) {
  if (!contents) return contents.status();
  launch.set(0, Tensor::string(*std::move(contents)));
  return {};
}

/// `channels`: 1 or 3; 0 for either.
Status encode_jpeg_image(Launch& launch, int64_t channels, const JpegEncoding& options) {
  auto size = size_to_encode(launch.input(0), 3);
  if (!size) return size.status();
  if (size->channels == 2 || (channels != 0 && channels != size->channels))
    return invalid_argument(
        "the image must have " +
        std::string(
            channels == 0   ? "1 or 3 channels"
            : channels == 1 ? "1 channel"
                            : "3 channels") +
        ", but has " + std::to_string(size->channels));
  return set_encoded(launch, encode_jpeg(launch.input(0).data<uint8_t>(), *size, options));
}

Status check_quality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return {};
  return invalid_argument("'quality' must be from 0 to 100, but is " + std::to_string(quality));
}

Kernel encoding_kernel(std::function<Status(Launch&)> compute) {
  return {.compute = std::move(compute), .cost_ns = [](const Launch& launch) {
            return 20 * launch.input(0).elements();
          }};
}

Result<Kernel> make_encode_jpeg(const Node& node) {
  auto quality = node.attr<int64_t>("quality");
  if (auto status = check_quality(quality); !status.ok()) return status;
  auto x = node.attr<int64_t>("x_density"), y = node.attr<int64_t>("y_density");
  constexpr int64_t most_density = 0xffff;
  if (x < 0 || y < 0 || x > most_density || y > most_density)
    return invalid_argument(
        "'x_density' and 'y_density' must be from 0 to 65535, but are " + std::to_string(x) +
        " and " + std::to_string(y));
  const auto& metadata = node.attr<std::string>("xmp_metadata");
  constexpr size_t most_metadata = 65533 - 29;  // in one marker, behind the name of its kind
  if (metadata.size() > most_metadata)
    return invalid_argument(
        "'xmp_metadata' must have at most " + std::to_string(most_metadata) + " bytes, but has " +
        std::to_string(metadata.size()));
  const auto& format = node.attr<std::string>("format");
  JpegEncoding options{
      .quality = static_cast<int>(quality),
      .progressive = node.attr<bool>("progressive"),
      .optimize_size = node.attr<bool>("optimize_size"),
      .chroma_downsampling = node.attr<bool>("chroma_downsampling"),
      .density_unit = node.attr<std::string>("density_unit") == "in" ? 1 : 2,
      .x_density = static_cast<int>(x),
      .y_density = static_cast<int>(y),
      .xmp_metadata = metadata};
  auto channels = format.empty() ? 0 : format == "grayscale" ? 1 : 3;
  return encoding_kernel(
      [=](Launch& launch) { return encode_jpeg_image(launch, channels, options); });
}

Status encode_jpeg_of_quality(Launch& launch) {
  const auto& quality = launch.input(1);
  if (!quality.shape().is_scalar())
    return invalid_argument(
        "'quality' must be a scalar, but has the shape " + quality.shape().to_string());
  auto value = quality.value<int32_t>();
  if (auto status = check_quality(value); !status.ok()) return status;
  return encode_jpeg_image(launch, 0, {.quality = value});
}

Result<Kernel> make_encode_png(const Node& node) {
  auto compression = node.attr<int64_t>("compression");
  if (compression < -1 || compression > 9)
    return invalid_argument(
        "'compression' must be from -1 to 9, but is " + std::to_string(compression));
  auto is_16_bit = node.attr<DType>("T") == DType::uint16;
  return encoding_kernel([=](Launch& launch) -> Status {
    auto size = size_to_encode(launch.input(0), 4);
    if (!size) return size.status();
    return set_encoded(
        launch, encode_png(launch.input(0).raw(), *size, is_16_bit, static_cast<int>(compression)));
  });
}

}  // namespace

void add_encoding_kernels(KernelCatalog& catalog) {
  catalog.add("EncodeJpeg", make_encode_jpeg);
  catalog.add("EncodeJpegVariableQuality", [](const Node&) -> Result<Kernel> {
    return encoding_kernel(encode_jpeg_of_quality);
  });
  catalog.add("EncodePng", make_encode_png);
}

}  // namespace troupe::cpu
