#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "troupe/devices/cpu/image/codecs.hpp"

namespace troupe::cpu {
namespace {

/// Where a frame lies on the canvas.
struct GifFrame {
  int64_t left, top, width, height;

  static GifFrame of(const GifImageDesc& image) {
    return {image.Left, image.Top, image.Width, image.Height};
  }
};

/// Reads one file, record by record: a small one may say that its frames fill any memory, which
/// the library would take for all of them at once.
class GifReader {
 public:
  explicit GifReader(std::string_view contents) : rest_(contents) {
    file_ = DGifOpen(this, read_bytes, &error_);
  }
  GifReader(const GifReader&) = delete;
  GifReader& operator=(const GifReader&) = delete;
  ~GifReader() {
    if (file_ != nullptr) DGifCloseFile(file_, nullptr);
  }

  /// Calls f() at the beginning of each frame, which must read it or skip it.
  template <class F>
  Status each_frame(const F& f) {
    if (file_ == nullptr) return failure();
    for (;;) {
      GifRecordType kind;
      if (DGifGetRecordType(file_, &kind) == GIF_ERROR) return failure();
      Status status;
      if (kind == TERMINATE_RECORD_TYPE) return {};
      if (kind == EXTENSION_RECORD_TYPE) status = skip_extension();
      else if (kind == IMAGE_DESC_RECORD_TYPE)
        status = DGifGetImageDesc(file_) == GIF_ERROR ? failure() : f();
      if (!status.ok()) return status;
    }
  }

  GifFrame frame() const { return GifFrame::of(file_->Image); }

  Status skip_frame() {
    int code_size;
    GifByteType* block;
    if (DGifGetCode(file_, &code_size, &block) == GIF_ERROR) return failure();
    while (block != nullptr)
      if (DGifGetCodeNext(file_, &block) == GIF_ERROR) return failure();
    return {};
  }

  /// Draws a frame on a canvas, of red, green and blue, what lies outside left out.
  Status read_frame(uint8_t* canvas, const ImageSize& size) {
    const auto* colours = file_->Image.ColorMap ? file_->Image.ColorMap : file_->SColorMap;
    if (colours == nullptr) return invalid_argument("a frame of the GIF image has no colours");
    auto frame = this->frame();
    row_.resize(static_cast<size_t>(frame.width));
    constexpr std::array<int64_t, 4> first = {0, 4, 2, 1}, step = {8, 8, 4, 2};
    for (size_t pass = 0; pass < (file_->Image.Interlace ? first.size() : 1); ++pass) {
      auto begin = file_->Image.Interlace ? first[pass] : 0;
      for (auto y = begin; y < frame.height; y += file_->Image.Interlace ? step[pass] : 1) {
        if (DGifGetLine(file_, row_.data(), static_cast<int>(row_.size())) == GIF_ERROR)
          return failure();
        if (auto status = draw_row(frame, y, *colours, canvas, size); !status.ok()) return status;
      }
    }
    return {};
  }

 private:
  static int read_bytes(GifFileType* file, GifByteType* to, int count) {
    auto& rest = static_cast<GifReader*>(file->UserData)->rest_;
    auto read = std::min(rest.size(), static_cast<size_t>(count));
    std::memcpy(to, rest.data(), read);
    rest.remove_prefix(read);
    return static_cast<int>(read);
  }

  Status failure() const {
    const auto* text = GifErrorString(file_ != nullptr ? file_->Error : error_);
    return invalid_argument(
        std::string("the GIF image cannot be decoded: ") + (text ? text : "it is not complete"));
  }

  Status skip_extension() {
    int code;
    GifByteType* block;
    if (DGifGetExtension(file_, &code, &block) == GIF_ERROR) return failure();
    while (block != nullptr)
      if (DGifGetExtensionNext(file_, &block) == GIF_ERROR) return failure();
    return {};
  }

  Status draw_row(
      const GifFrame& frame, int64_t row, const ColorMapObject& colours, uint8_t* canvas,
      const ImageSize& size) const {
    auto y = frame.top + row;
    for (int64_t i = 0; i < frame.width; ++i) {
      auto x = frame.left + i;
      if (x < 0 || x >= size.width || y < 0 || y >= size.height) continue;
      auto index = row_[static_cast<size_t>(i)];
      if (index >= colours.ColorCount)
        return invalid_argument(
            "a pixel of the GIF image has colour " + std::to_string(index) + " of " +
            std::to_string(colours.ColorCount));
      const auto& colour = colours.Colors[index];
      auto* pixel = canvas + (y * size.width + x) * size.channels;
      pixel[0] = colour.Red;
      pixel[1] = colour.Green;
      pixel[2] = colour.Blue;
    }
    return {};
  }

  std::string_view rest_;
  GifFileType* file_ = nullptr;
  int error_ = 0;
  std::vector<GifPixelType> row_;
};

/// As large as the largest frame, which the first one must fill.
struct GifCanvas {
  int64_t frames = 0;
  ImageSize size{0, 0, 3};

  static Result<GifCanvas> of(std::string_view contents) {
    GifReader reader(contents);
    GifCanvas canvas;
    GifFrame first{};
    auto status = reader.each_frame([&]() -> Status {
      auto frame = reader.frame();
      if (frame.width <= 0 || frame.height <= 0)
        return invalid_argument("a frame of the GIF image has no pixels");
      if (canvas.frames++ == 0) first = frame;
      canvas.size.width = std::max(canvas.size.width, frame.width);
      canvas.size.height = std::max(canvas.size.height, frame.height);
      return reader.skip_frame();
    });
    if (!status.ok()) return status;
    if (canvas.frames == 0) return invalid_argument("the GIF image has no frames");
    if (first.left != 0 || first.top != 0 || first.width != canvas.size.width ||
        first.height != canvas.size.height)
      return invalid_argument("the first frame of the GIF image does not fill it");
    if (canvas.frames > max_image_samples / canvas.size.elements())
      return invalid_argument(
          "the GIF image has " + std::to_string(canvas.frames) + " frames of " +
          std::to_string(canvas.size.height) + " rows of " + std::to_string(canvas.size.width) +
          " pixels, which is too large");
    return canvas;
  }
};

}  // namespace

Result<Tensor> decode_gif(std::string_view contents, const MakeFrames& make_frames) {
  auto canvas = GifCanvas::of(contents);
  if (!canvas) return canvas.status();
  auto frames = make_frames(canvas->frames, canvas->size);
  if (!frames) return frames;
  auto* pixels = frames->mutable_data<uint8_t>();
  auto elements = canvas->size.elements();
  GifReader reader(contents);
  int64_t count = 0;
  auto status = reader.each_frame([&] {
    auto* to = pixels + count * elements;
    // What a frame does not cover stays as it was.
    if (count++ > 0) std::copy_n(to - elements, elements, to);
    return reader.read_frame(to, canvas->size);
  });
  if (!status.ok()) return status;
  return frames;
}

}  // namespace troupe::cpu
