#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include <jpeglib.h>

#include "troupe/devices/cpu/image/codecs.hpp"
#include "troupe/devices/cpu/image/jpeg_errors.hpp"

namespace troupe::cpu {
namespace {

/// Bytes in memory as libjpeg reads them.
struct JpegSource {
  jpeg_source_mgr base;  // first: libjpeg's pointer to it is one to the whole
  bool recovers;
};

/// Called where the bytes are at their end: either an end of the image follows, or nothing does.
boolean fill_jpeg_buffer(j_decompress_ptr jpeg) {
  static const JOCTET end[] = {0xff, JPEG_EOI};
  auto* source = reinterpret_cast<JpegSource*>(jpeg->src);
  if (!source->recovers) return FALSE;
  source->base.next_input_byte = end;
  source->base.bytes_in_buffer = 2;
  return TRUE;
}

void skip_jpeg_bytes(j_decompress_ptr jpeg, long count) {  // NOLINT(google-runtime-int)
  auto& source = *jpeg->src;
  if (count <= 0) return;
  if (static_cast<size_t>(count) > source.bytes_in_buffer) {
    source.bytes_in_buffer = 0;
    fill_jpeg_buffer(jpeg);
    return;
  }
  source.next_input_byte += count;
  source.bytes_in_buffer -= static_cast<size_t>(count);
}

/// A small file may contain more passes over its image than anyone waits for.
void limit_jpeg_scans(j_common_ptr jpeg) {
  constexpr int most = 500;
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > most)
    raise_jpeg_error(jpeg, "it has more than 500 scans");
}

/// Reads one file. libjpeg reports an error by a jump out of it, back to guard(): it is called
/// where nothing has to be destroyed, and what it changes are members.
class JpegDecoder : public JpegErrors {
 public:
  JpegDecoder(std::string_view contents, bool recovers) {
    std::memset(&jpeg_, 0, sizeof jpeg_);
    jpeg_.err = handlers(reinterpret_cast<j_common_ptr>(&jpeg_));
    source_.base.next_input_byte = reinterpret_cast<const JOCTET*>(contents.data());
    source_.base.bytes_in_buffer = contents.size();
    source_.base.init_source = [](j_decompress_ptr) {};
    source_.base.fill_input_buffer = fill_jpeg_buffer;
    source_.base.skip_input_data = skip_jpeg_bytes;
    source_.base.resync_to_restart = jpeg_resync_to_restart;
    source_.base.term_source = [](j_decompress_ptr) {};
    source_.recovers = recovers;
    progress_.progress_monitor = limit_jpeg_scans;
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() {
    if (is_created_) jpeg_destroy_decompress(&jpeg_);
  }

  Status read_header() {
    auto done = guard([this] {
      jpeg_create_decompress(&jpeg_);
      is_created_ = true;
      jpeg_.client_data = static_cast<JpegErrors*>(this);
      jpeg_.src = &source_.base;
      jpeg_.progress = &progress_;
      if (jpeg_read_header(&jpeg_, TRUE) != JPEG_HEADER_OK)
        raise_jpeg_error(reinterpret_cast<j_common_ptr>(&jpeg_), "its header is not complete");
      jpeg_calc_output_dimensions(&jpeg_);
    });
    if (!done) return failure("decoded");
    auto samples = int64_t{jpeg_.image_width} * jpeg_.image_height * jpeg_.num_components;
    if (samples < max_image_samples) return {};
    return invalid_argument(
        "the JPEG image has " + std::to_string(jpeg_.image_height) + " rows of " +
        std::to_string(jpeg_.image_width) + " pixels, which is too large");
  }

  /// As the header says it, or as options have changed it.
  ImageSize size() const {
    return {jpeg_.output_height, jpeg_.output_width, jpeg_.output_components};
  }

  /// Returns how many channels the result has.
  Result<int64_t> set(const JpegDecoding& options) {
    auto channels = options.channels;
    if (channels == 0) channels = std::min(jpeg_.num_components, 3);
    if (channels != 1 && channels != 3)
      return invalid_argument("a JPEG image of 2 components cannot be decoded");
    is_cmyk_ =
        channels == 3 && (jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK);
    jpeg_.out_color_space = channels == 1 ? JCS_GRAYSCALE : is_cmyk_ ? JCS_CMYK : JCS_RGB;
    jpeg_.do_fancy_upsampling = static_cast<boolean>(options.fancy_upscaling);
    jpeg_.scale_num = 1;
    jpeg_.scale_denom = static_cast<unsigned>(options.ratio);
    jpeg_.dct_method = options.is_accurate ? JDCT_ISLOW : JDCT_IFAST;
    if (!guard([this] { jpeg_calc_output_dimensions(&jpeg_); })) return failure("decoded");
    return channels;
  }

  /// Decodes the rows of a window, and those above it.
  Status read_rows(const CropWindow& window, int64_t channels, uint8_t* pixels) {
    auto samples = is_cmyk_ ? 4 : channels;
    row_.resize(static_cast<size_t>(jpeg_.output_width) * static_cast<size_t>(samples));
    to_ = pixels;
    rows_read_ = 0;
    auto done = guard([this, &window, channels] {
      jpeg_start_decompress(&jpeg_);
      if (static_cast<int64_t>(row_.size()) !=
          int64_t{jpeg_.output_width} * jpeg_.output_components)
        raise_jpeg_error(reinterpret_cast<j_common_ptr>(&jpeg_), "its components are not expected");
      while (rows_read_ < window.height) {
        auto row = int64_t{jpeg_.output_scanline};
        JSAMPROW to = row_.data();
        if (jpeg_read_scanlines(&jpeg_, &to, 1) == 0) return;
        if (row >= window.top) take_row(window, channels);
      }
    });
    return done ? Status() : failure("decoded");
  }
  int64_t rows_read() const { return rows_read_; }

 private:
  void take_row(const CropWindow& window, int64_t channels) {
    const auto* from = row_.data() + window.left * (is_cmyk_ ? 4 : channels);
    auto elements = window.width * channels;
    if (!is_cmyk_) std::memcpy(to_, from, static_cast<size_t>(elements));
    else
      for (int64_t i = 0; i < elements; i += 3, from += 4)
        for (int c = 0; c < 3; ++c) {
          // Adobe writes the complement of each ink.
          auto ink = jpeg_.saw_Adobe_marker ? from[c] : 255 - from[c];
          auto black = jpeg_.saw_Adobe_marker ? from[3] : 255 - from[3];
          to_[i + c] = static_cast<uint8_t>(ink * black / 255);
        }
    to_ += elements;
    ++rows_read_;
  }

  jpeg_decompress_struct jpeg_;
  JpegSource source_{};
  jpeg_progress_mgr progress_{};
  bool is_created_ = false, is_cmyk_ = false;
  std::vector<JSAMPLE> row_;
  uint8_t* to_ = nullptr;
  int64_t rows_read_ = 0;
};

Status check_crop_window(const CropWindow& window, const ImageSize& size) {
  if (window.top >= 0 && window.left >= 0 && window.height > 0 && window.width > 0 &&
      window.height <= size.height - window.top && window.width <= size.width - window.left)
    return {};
  return invalid_argument(
      "the crop window (y " + std::to_string(window.top) + ", x " + std::to_string(window.left) +
      ", height " + std::to_string(window.height) + ", width " + std::to_string(window.width) +
      ") must lie in the image of " + std::to_string(size.height) + " rows of " +
      std::to_string(size.width) + " pixels");
}

}  // namespace

Result<Tensor> decode_jpeg(
    std::string_view contents, const JpegDecoding& options, const MakePixels& make_pixels) {
  JpegDecoder decoder(contents, options.recover_truncated);
  if (auto status = decoder.read_header(); !status.ok()) return status;
  auto channels = decoder.set(options);
  if (!channels) return channels.status();
  auto size = decoder.size();
  auto window = options.window.value_or(CropWindow{0, 0, size.height, size.width});
  if (auto status = check_crop_window(window, size); !status.ok()) return status;
  auto pixels = make_pixels({window.height, window.width, *channels});
  if (!pixels) return pixels.status();
  auto* bytes = pixels->mutable_data<uint8_t>();
  if (auto status = decoder.read_rows(window, *channels, bytes); !status.ok()) return status;
  auto read = decoder.rows_read(), row = window.width * *channels;
  auto share = static_cast<float>(read) / static_cast<float>(window.height);
  if (!options.recover_truncated && share < std::min(1.0f, options.acceptable_fraction))
    return invalid_argument(
        "the JPEG data end at row " + std::to_string(read) + " of " +
        std::to_string(window.height));
  for (auto i = read; i < window.height; ++i)
    if (options.recover_truncated && i > 0)
      std::copy_n(bytes + (i - 1) * row, row, bytes + i * row);
    else std::fill_n(bytes + i * row, row, uint8_t{0});
  return pixels;
}

Result<ImageSize> jpeg_size(std::string_view contents) {
  JpegDecoder decoder(contents, /*recovers=*/false);
  if (auto status = decoder.read_header(); !status.ok()) return status;
  return decoder.size();
}

}  // namespace troupe::cpu
