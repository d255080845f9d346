#include "troupe/devices/cpu/image/codecs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

MakePixels pixels_of(Launch& launch, DType dtype) {
  return [&launch, dtype](const ImageSize& size) -> Result<Tensor> {
    return launch.allocate(dtype, {size.height, size.width, size.channels});
  };
}

/// What JPEG, PNG and GIF files are decoded to; each of the ops takes all of them.
struct PictureDecoding {
  JpegDecoding jpeg;
  DType dtype = DType::uint8;
  bool has_window = false;
  bool has_frames = false;  // along an axis of their own
};

/// As frames, or where there is one only as an image.
MakeFrames frames_of(Launch& launch, bool has_frames) {
  return [=, &launch](int64_t frames, const ImageSize& size) -> Result<Tensor> {
    if (has_frames)
      return launch.allocate(DType::uint8, {frames, size.height, size.width, size.channels});
    if (frames != 1)
      return invalid_argument(
          "only DecodeGif decodes the " + std::to_string(frames) + " frames of an animation");
    return launch.allocate(DType::uint8, {size.height, size.width, size.channels});
  };
}

Result<CropWindow> crop_window(const Tensor& input) {
  if (input.shape() != Shape{4})
    return invalid_argument(
        "'crop_window' must have 4 elements, but has the shape " + input.shape().to_string());
  const auto* values = input.data<int32_t>();
  return CropWindow{values[0], values[1], values[2], values[3]};
}

Status decode_picture(Launch& launch, const PictureDecoding& decoding) {
  auto contents = scalar_string(launch, 0, "contents");
  if (!contents) return contents.status();
  auto options = decoding.jpeg;
  if (decoding.has_window) {
    auto window = crop_window(launch.input(1));
    if (!window) return window.status();
    options.window = *window;
  }
  auto make_pixels = pixels_of(launch, decoding.dtype);
  Result<Tensor> image = invalid_argument(
      "the contents are no JPEG, PNG or GIF image: they begin with " +
      shown(contents->substr(0, 16)));
  if (contents->starts_with("\xff\xd8\xff")) {
    if (options.channels == 4 || decoding.dtype != DType::uint8)
      return invalid_argument("a JPEG image can only be decoded to 1 or 3 channels of uint8");
    image = decode_jpeg(*contents, options, make_pixels);
  } else if (contents->starts_with("\x89PNG\r\n\x1a\n") && !decoding.has_window) {
    image = decode_png(*contents, options.channels, decoding.dtype == DType::uint16, make_pixels);
  } else if (contents->starts_with("GIF8") && !decoding.has_window) {
    if (options.channels != 0 && options.channels != 3)
      return invalid_argument(
          "a GIF image is decoded to 3 channels, not " + std::to_string(options.channels));
    if (decoding.dtype != DType::uint8)
      return invalid_argument("a GIF image can only be decoded to uint8");
    image = decode_gif(*contents, frames_of(launch, decoding.has_frames));
  }
  if (!image) return image.status();
  const auto& shape = image->shape();
  if (decoding.has_frames && shape.rank() == 3)
    image = image->reshaped({1, shape[0], shape[1], shape[2]});
  launch.set(0, *std::move(image));
  return {};
}

Result<int64_t> channels_attr(const Node& node) {
  auto channels = node.attr<int64_t>("channels");
  if (channels == 0 || channels == 1 || channels == 3 || channels == 4) return channels;
  return invalid_argument("'channels' must be 0, 1, 3 or 4, not " + std::to_string(channels));
}

Kernel decoding_kernel(const PictureDecoding& decoding) {
  return {
      .compute = [decoding](Launch& launch) { return decode_picture(launch, decoding); },
      .cost_ns = [](const Launch&) { return int64_t{1} << 20; }};
}

KernelCatalog::Make jpeg_decoding_kernel(bool has_window) {
  return [has_window](const Node& node) -> Result<Kernel> {
    auto channels = channels_attr(node);
    if (!channels) return channels.status();
    auto ratio = node.attr<int64_t>("ratio");
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
      return invalid_argument("'ratio' must be 1, 2, 4 or 8, not " + std::to_string(ratio));
    const auto& method = node.attr<std::string>("dct_method");
    if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE")
      return invalid_argument(
          "'dct_method' must be '', 'INTEGER_FAST' or 'INTEGER_ACCURATE', not '" + method + "'");
    return decoding_kernel(
        {.jpeg =
             {.channels = *channels,
              .ratio = ratio,
              .fancy_upscaling = node.attr<bool>("fancy_upscaling"),
              .recover_truncated = node.attr<bool>("try_recover_truncated"),
              .acceptable_fraction = node.attr<float>("acceptable_fraction"),
              .is_accurate = method == "INTEGER_ACCURATE"},
         .has_window = has_window});
  };
}

Result<Kernel> make_decode_png(const Node& node) {
  auto channels = channels_attr(node);
  if (!channels) return channels.status();
  return decoding_kernel({.jpeg = {.channels = *channels}, .dtype = node.attr<DType>("dtype")});
}

Result<Kernel> make_jpeg_shape(const Node& node) {
  return Kernel{.compute = [dtype = node.attr<DType>("output_type")](Launch& launch) -> Status {
    auto contents = scalar_string(launch, 0, "contents");
    if (!contents) return contents.status();
    auto size = jpeg_size(*contents);
    if (!size) return size.status();
    return set_ints(launch, 0, dtype, std::array{size->height, size->width, size->channels});
  }};
}

/// A little-endian number in the header of a BMP file.
template <class T>
T bmp_number(std::string_view contents, size_t at) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, contents.data() + at, sizeof value);
  return value;
}

Result<Tensor> decode_bmp(
    std::string_view contents, int64_t channels, const MakePixels& make_pixels) {
  constexpr size_t header = 32;  // up to the bits of a pixel
  if (contents.size() < header)
    return invalid_argument(
        "a BMP image has at least 32 bytes, but there are " + std::to_string(contents.size()));
  int64_t begin = bmp_number<int32_t>(contents, 10), width = bmp_number<int32_t>(contents, 18);
  int64_t height = bmp_number<int32_t>(contents, 22), own = bmp_number<uint16_t>(contents, 28) / 8;
  if (channels != 0 && channels != own)
    return invalid_argument(
        "the BMP image has " + std::to_string(own) + " channels, not " + std::to_string(channels));
  if (own != 1 && own != 3 && own != 4)
    return invalid_argument("a BMP image must have 1, 3 or 4 channels, not " + std::to_string(own));
  auto rows = height < 0 ? -height : height;
  constexpr int64_t most = std::numeric_limits<int32_t>::max() / 8;
  if (begin < 0 || width <= 0 || rows == 0 || width >= most || rows >= most / width)
    return invalid_argument(
        "the BMP image has " + std::to_string(rows) + " rows of " + std::to_string(width) +
        " pixels from byte " + std::to_string(begin) + " on, which cannot be");
  auto stride = (own * width + 3) / 4 * 4;
  auto needed = begin + (rows - 1) * stride + width * own;
  if (needed > static_cast<int64_t>(contents.size()))
    return invalid_argument(
        "the BMP image needs " + std::to_string(needed) + " bytes, but there are " +
        std::to_string(contents.size()));
  auto image = make_pixels({rows, width, own});
  if (!image) return image.status();
  auto* to = image->mutable_data<uint8_t>();
  for (int64_t y = 0; y < rows; ++y) {
    const auto* from = contents.data() + begin + (height < 0 ? y : rows - 1 - y) * stride;
    for (int64_t x = 0; x < width; ++x, from += own, to += own) {
      std::copy_n(from, own, to);
      if (own >= 3) std::swap(to[0], to[2]);  // they are blue, green, red
    }
  }
  return image;
}

Result<Kernel> make_decode_bmp(const Node& node) {
  return Kernel{.compute = [channels = node.attr<int64_t>("channels")](Launch& launch) -> Status {
    auto contents = scalar_string(launch, 0, "contents");
    if (!contents) return contents.status();
    auto image = decode_bmp(*contents, channels, pixels_of(launch, DType::uint8));
    if (image) launch.set(0, *std::move(image));
    return image ? Status() : image.status();
  }};
}

}  // namespace

void add_codecs_kernels(KernelCatalog& catalog) {
  catalog.add("DecodeJpeg", jpeg_decoding_kernel(false));
  catalog.add("DecodeAndCropJpeg", jpeg_decoding_kernel(true));
  catalog.add("ExtractJpegShape", make_jpeg_shape);
  catalog.add("DecodePng", make_decode_png);
  catalog.add("DecodeBmp", make_decode_bmp);
  catalog.add("DecodeGif", [](const Node&) -> Result<Kernel> {
    return decoding_kernel({.jpeg = {.channels = 3}, .has_frames = true});
  });
  add_encoding_kernels(catalog);
}

}  // namespace troupe::cpu
