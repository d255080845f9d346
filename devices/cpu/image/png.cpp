#include <csetjmp>
#include <cstring>

#include <png.h>

#include "troupe/devices/cpu/image/codecs.hpp"

namespace troupe::cpu {
namespace {

/// How libpng reports errors: by a jump back to the call of guard() that it happened in.
class PngErrors {
 public:
  /// Calls f(), which calls libpng; false if that jumped out of it. Nothing that f makes may have
  /// a destructor.
  template <class F>
  [[gnu::noinline]] bool guard(const F& f) {
    if (setjmp(back_)) return false;
    f();
    return true;
  }

  Status failure(const char* what) const {
    return invalid_argument(
        std::string("the PNG image cannot be ") + what + ": " + std::string(text_));
  }

  /// The handlers that libpng is given.
  static void leave(png_structp png, png_const_charp text) {
    auto* errors = static_cast<PngErrors*>(png_get_error_ptr(png));
    std::strncpy(errors->text_, text, sizeof errors->text_ - 1);
    std::longjmp(errors->back_, 1);
  }
  static void ignore(png_structp, png_const_charp) {}

 private:
  std::jmp_buf back_;
  char text_[128] = "there is no memory";
};

/// What of a PNG file libpng is to change, so that its pixels have those channels.
struct PngTarget {
  int channels;
  bool is_16_bit;
  bool widens;  // 8 bits to 16
};

class PngDecoder : public PngErrors {
 public:
  explicit PngDecoder(std::string_view contents) : rest_(contents) {}
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Status read_header() {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, leave, ignore);
    if (!png_) return resource_exhausted("there is no memory for libpng");
    auto done = guard([this] {
      constexpr png_uint_32 most_pixels = 1 << 27;
      info_ = png_create_info_struct(png_);
      png_set_user_limits(png_, most_pixels, most_pixels);
      png_set_read_fn(png_, this, [](png_structp png, png_bytep to, size_t count) {
        auto& rest = static_cast<PngDecoder*>(png_get_io_ptr(png))->rest_;
        if (rest.size() < count) png_error(png, "it ends too early");
        std::memcpy(to, rest.data(), count);
        rest.remove_prefix(count);
      });
      png_read_info(png_, info_);
      png_get_IHDR(png_, info_, &width_, &height_, &depth_, &colour_, nullptr, nullptr, nullptr);
    });
    if (!done) return failure("decoded");
    if (int64_t{width_} * height_ < max_image_samples) return {};
    return invalid_argument(
        "the PNG image has " + std::to_string(height_) + " rows of " + std::to_string(width_) +
        " pixels, which is too large");
  }

  /// Chooses what libpng makes of the pixels.
  Result<ImageSize> set(int64_t channels, bool is_16_bit) {
    target_ = {
        channels > 0 ? static_cast<int>(channels) : own_channels(), is_16_bit,
        is_16_bit && depth_ <= 8};
    auto done = guard([this] {
      transform();
      png_read_update_info(png_, info_);
      size_t bytes = target_.is_16_bit && !target_.widens ? 2 : 1;
      if (png_get_rowbytes(png_, info_) != width_ * static_cast<size_t>(target_.channels) * bytes)
        png_error(png_, "its rows are not expected");
    });
    if (!done) return failure("decoded");
    return ImageSize{height_, width_, target_.channels};
  }

  Status read_rows(uint8_t* pixels) {
    auto elements = width_ * static_cast<size_t>(target_.channels);
    auto stride = elements * (target_.is_16_bit ? 2 : 1);
    auto done = guard([&, this] {
      for (int pass = 0; pass < passes_; ++pass)
        for (png_uint_32 row = 0; row < height_; ++row)
          png_read_row(png_, pixels + row * stride, nullptr);
      png_read_end(png_, nullptr);
    });
    if (!done) return failure("decoded");
    if (target_.widens)
      for (png_uint_32 row = 0; row < height_; ++row) widen_row(pixels + row * stride, elements);
    return {};
  }

 private:
  bool has_transparency() const { return png_get_valid(png_, info_, PNG_INFO_tRNS) != 0; }

  int own_channels() const {
    if (colour_ == PNG_COLOR_TYPE_PALETTE) return has_transparency() ? 4 : 3;
    return png_get_channels(png_, info_);
  }

  void transform() {
    bool has_alpha = (colour_ & PNG_COLOR_MASK_ALPHA) != 0;
    bool is_grey = (colour_ & PNG_COLOR_MASK_COLOR) == 0;
    if (target_.channels % 2 == 0) {
      if (!has_alpha && has_transparency()) png_set_tRNS_to_alpha(png_);
      else if (!has_alpha) png_set_add_alpha(png_, 0xffff, PNG_FILLER_AFTER);
    } else if (has_alpha || has_transparency()) {
      png_set_strip_alpha(png_);
    }
    if (depth_ > 8 && !target_.is_16_bit) png_set_strip_16(png_);
    png_set_packing(png_);
    passes_ = png_set_interlace_handling(png_);
    if (target_.is_16_bit) png_set_swap(png_);
    if (colour_ == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (is_grey && depth_ < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (target_.channels < 3 && !is_grey) png_set_rgb_to_gray(png_, 1, 0.299, 0.587);
    else if (target_.channels >= 3 && is_grey) png_set_gray_to_rgb(png_);
  }

  /// From the last to the first, since they share their memory.
  static void widen_row(uint8_t* row, size_t elements) {
    for (auto i = elements; i-- > 0;) row[2 * i] = row[2 * i + 1] = row[i];
  }

  std::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  png_uint_32 width_ = 0, height_ = 0;
  int depth_ = 0, colour_ = 0, passes_ = 1;
  PngTarget target_{};
};

class PngEncoder : public PngErrors {
 public:
  PngEncoder() = default;
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;
  ~PngEncoder() { png_destroy_write_struct(&png_, &info_); }

  Result<std::string> encode(
      const void* pixels, const ImageSize& size, bool is_16_bit, int compression) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, leave, ignore);
    if (!png_) return resource_exhausted("there is no memory for libpng");
    constexpr int colours[] = {
        PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
        PNG_COLOR_TYPE_RGB_ALPHA};
    auto done = guard([&, this] {
      info_ = png_create_info_struct(png_);
      png_set_write_fn(png_, this, write, [](png_structp) {});
      png_set_compression_level(png_, compression);
      png_set_compression_mem_level(png_, 9);
      png_set_IHDR(
          png_, info_, static_cast<png_uint_32>(size.width), static_cast<png_uint_32>(size.height),
          is_16_bit ? 16 : 8, colours[size.channels - 1], PNG_INTERLACE_NONE,
          PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_write_info(png_, info_);
      if (is_16_bit) png_set_swap(png_);
      auto stride = size.width * size.channels * (is_16_bit ? 2 : 1);
      for (int64_t row = 0; row < size.height; ++row)
        png_write_row(png_, static_cast<png_const_bytep>(pixels) + row * stride);
      png_write_end(png_, nullptr);
    });
    if (!done) return failure("encoded");
    return std::move(bytes_);
  }

 private:
  /// No exception may pass through libpng.
  static void write(png_structp png, png_bytep from, size_t count) {
    auto& bytes = static_cast<PngEncoder*>(png_get_io_ptr(png))->bytes_;
    bool fits = true;
    try {
      bytes.append(reinterpret_cast<const char*>(from), count);
    } catch (const std::bad_alloc&) {
      fits = false;
    }
    if (!fits) png_error(png, "there is no memory for it");
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string bytes_;
};

}  // namespace

Result<Tensor> decode_png(
    std::string_view contents, int64_t channels, bool is_16_bit, const MakePixels& make_pixels) {
  PngDecoder decoder(contents);
  if (auto status = decoder.read_header(); !status.ok()) return status;
  auto size = decoder.set(channels, is_16_bit);
  if (!size) return size.status();
  auto pixels = make_pixels(*size);
  if (!pixels) return pixels.status();
  auto status = decoder.read_rows(static_cast<uint8_t*>(pixels->mutable_raw()));
  if (!status.ok()) return status;
  return pixels;
}

Result<std::string> encode_png(
    const void* pixels, const ImageSize& size, bool is_16_bit, int compression) {
  constexpr int64_t most = 1000 * 1000;  // that libpng writes
  if (size.height <= 0 || size.width <= 0 || size.height > most || size.width > most)
    return invalid_argument(
        "a PNG image must have at least 1 and at most " + std::to_string(most) +
        " rows and columns, but it has " + std::to_string(size.height) + " rows of " +
        std::to_string(size.width) + " pixels");
  return PngEncoder().encode(pixels, size, is_16_bit, compression);
}

}  // namespace troupe::cpu
