#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Height, width and channels of an image.
struct ImageSize {
  int64_t height, width, channels;

  int64_t elements() const { return height * width * channels; }
};

/// Makes room for the pixels of an image that is being decoded, once its size is known.
using MakePixels = std::function<Result<Tensor>(const ImageSize&)>;

/// The most pixels, and the most samples of pixels, of an image in a file, as in TensorFlow: less
/// is a limit of memory, checked before any is taken.
inline constexpr int64_t max_image_samples = int64_t{1} << 29;

/// A part of an image to decode.
struct CropWindow {
  int64_t top, left, height, width;
};

struct JpegDecoding {
  int64_t channels = 0;  // 0: those of the file, at most 3; 1 or 3
  int64_t ratio = 1;     // 1, 2, 4 or 8 pixels become one
  bool fancy_upscaling = true;
  bool recover_truncated = false;    // repeats the last row instead of missing ones
  float acceptable_fraction = 1.0f;  // of rows that must be there; others are black
  bool is_accurate = false;          // of the transform
  std::optional<CropWindow> window = {};
};

/// The pixels of a JPEG file as [height, width, channels].
Result<Tensor> decode_jpeg(
    std::string_view contents, const JpegDecoding& options, const MakePixels& make_pixels);

/// The size of the image in a JPEG file, which is not decoded.
Result<ImageSize> jpeg_size(std::string_view contents);

struct JpegEncoding {
  int quality = 95;
  bool progressive = false, optimize_size = false, chroma_downsampling = true;
  int density_unit = 1;  // dots per 1: inch, 2: cm
  int x_density = 300, y_density = 300;
  std::string xmp_metadata = {};
};

/// An image of 1 or 3 channels as a JPEG file.
Result<std::string> encode_jpeg(
    const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options);

/// The pixels of a PNG file as [height, width, channels] (channels 0: those of the file) of uint8
/// or uint16, which make_pixels() makes.
Result<Tensor> decode_png(
    std::string_view contents, int64_t channels, bool is_16_bit, const MakePixels& make_pixels);

/// An image of 1 to 4 channels of 8 or 16 bits as a PNG file; compression from 0 to 9, or -1.
Result<std::string> encode_png(
    const void* pixels, const ImageSize& size, bool is_16_bit, int compression);

/// Makes room for that many frames of an animation.
using MakeFrames = std::function<Result<Tensor>(int64_t frames, const ImageSize&)>;

/// The pixels of a GIF file as [frames, height, width, 3].
Result<Tensor> decode_gif(std::string_view contents, const MakeFrames& make_frames);

// The kernels of the family that have a file of their own.
void add_encoding_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
