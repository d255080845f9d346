#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "troupe/devices/cpu/image/codecs.hpp"
#include "troupe/devices/cpu/image/jpeg_errors.hpp"

namespace troupe::cpu {
namespace {

/// A buffer that grows; not a vector, since no exception may pass through libjpeg.
struct JpegSink {
  jpeg_destination_mgr base{};  // first: libjpeg's pointer to it is one to the whole
  JOCTET* bytes = nullptr;
  size_t capacity = 0;

  ~JpegSink() { std::free(bytes); }
  size_t count() const { return capacity - base.free_in_buffer; }
};

void grow_jpeg_sink(j_compress_ptr jpeg, size_t used) {
  auto& sink = *reinterpret_cast<JpegSink*>(jpeg->dest);
  auto capacity = std::max(size_t{16} * 1024, 2 * sink.capacity);
  auto* bytes = static_cast<JOCTET*>(std::realloc(sink.bytes, capacity));
  if (!bytes) raise_jpeg_error(reinterpret_cast<j_common_ptr>(jpeg), "there is no memory for it");
  sink.bytes = bytes;
  sink.capacity = capacity;
  sink.base.next_output_byte = bytes + used;
  sink.base.free_in_buffer = capacity - used;
}

/// Writes one file; errors as in the decoder.
class JpegEncoder : public JpegErrors {
 public:
  JpegEncoder() {
    std::memset(&jpeg_, 0, sizeof jpeg_);
    jpeg_.err = handlers(reinterpret_cast<j_common_ptr>(&jpeg_));
    sink_.base.init_destination = [](j_compress_ptr jpeg) { grow_jpeg_sink(jpeg, 0); };
    sink_.base.empty_output_buffer = [](j_compress_ptr jpeg) -> boolean {
      grow_jpeg_sink(jpeg, reinterpret_cast<JpegSink*>(jpeg->dest)->capacity);
      return TRUE;
    };
    sink_.base.term_destination = [](j_compress_ptr) {};
  }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;
  ~JpegEncoder() {
    if (is_created_) jpeg_destroy_compress(&jpeg_);
  }

  Result<std::string> encode(
      const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options) {
    auto packet = xmp_packet(options.xmp_metadata);
    auto done = guard([&, this] {
      start(size, options);
      if (!packet.empty())
        jpeg_write_marker(
            &jpeg_, JPEG_APP0 + 1, packet.data(), static_cast<unsigned>(packet.size()));
      while (jpeg_.next_scanline < jpeg_.image_height) {
        // libjpeg does not write to it.
        auto* row = const_cast<JSAMPROW>(
            pixels + int64_t{jpeg_.next_scanline} * size.width * size.channels);
        jpeg_write_scanlines(&jpeg_, &row, 1);
      }
      jpeg_finish_compress(&jpeg_);
    });
    if (!done) return failure("encoded");
    return std::string(reinterpret_cast<const char*>(sink_.bytes), sink_.count());
  }

 private:
  void start(const ImageSize& size, const JpegEncoding& options) {
    jpeg_create_compress(&jpeg_);
    is_created_ = true;
    jpeg_.client_data = static_cast<JpegErrors*>(this);
    jpeg_.dest = &sink_.base;
    jpeg_.image_width = static_cast<JDIMENSION>(size.width);
    jpeg_.image_height = static_cast<JDIMENSION>(size.height);
    jpeg_.input_components = static_cast<int>(size.channels);
    jpeg_.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
    jpeg_.optimize_coding = static_cast<boolean>(options.optimize_size);
    jpeg_.density_unit = static_cast<UINT8>(options.density_unit);
    jpeg_.X_density = static_cast<UINT16>(options.x_density);
    jpeg_.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&jpeg_, options.quality, TRUE);
    if (options.progressive) jpeg_simple_progression(&jpeg_);
    if (!options.chroma_downsampling)
      for (int i = 0; i < jpeg_.num_components; ++i)
        jpeg_.comp_info[i].h_samp_factor = jpeg_.comp_info[i].v_samp_factor = 1;
    jpeg_start_compress(&jpeg_, TRUE);
  }

  /// The contents of the marker that says what is in it.
  static std::vector<JOCTET> xmp_packet(const std::string& metadata) {
    constexpr std::string_view name_space("http://ns.adobe.com/xap/1.0/\0", 29);
    std::vector<JOCTET> packet;
    if (metadata.empty()) return packet;
    packet.assign(name_space.begin(), name_space.end());
    packet.insert(packet.end(), metadata.begin(), metadata.end());
    return packet;
  }

  jpeg_compress_struct jpeg_;
  bool is_created_ = false;
  JpegSink sink_;
};

}  // namespace

Result<std::string> encode_jpeg(
    const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options) {
  if (size.height <= 0 || size.width <= 0 || size.height > JPEG_MAX_DIMENSION ||
      size.width > JPEG_MAX_DIMENSION || size.elements() >= max_image_samples)
    return invalid_argument(
        "a JPEG image must have at least 1 and at most " + std::to_string(JPEG_MAX_DIMENSION) +
        " rows and columns, but it has " + std::to_string(size.height) + " rows of " +
        std::to_string(size.width) + " pixels");
  return JpegEncoder().encode(pixels, size, options);
}

}  // namespace troupe::cpu
