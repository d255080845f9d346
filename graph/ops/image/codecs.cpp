#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Of a file: [height, width, channels], of which the attribute may say the channels.
Status infer_decoded(ShapeInference& s) {
  auto channels = s.attr<int64_t>("channels");
  if (channels < 0)
    return invalid_argument("'channels' must not be negative, but is " + std::to_string(channels));
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  s.set(0, {Shape::unknown, Shape::unknown, channels == 0 ? Shape::unknown : channels});
  return {};
}

Status infer_cropped(ShapeInference& s) {
  if (auto status = infer_decoded(s); !status.ok()) return status;
  if (auto window = s.input(1).merge({4}); !window) return window.status();
  auto values = s.constant_ints(1);
  if (!values) return {};
  auto shape = s.outputs()[0];
  for (int axis = 0; axis < 2; ++axis) {
    auto size = (*values)[static_cast<size_t>(2 + axis)];
    if (size <= 0)
      return invalid_argument(
          "the height and width of 'crop_window' must be positive, but it has " +
          std::to_string(size));
    shape.set(axis, size);
  }
  s.set(0, shape);
  return {};
}

Status infer_encoded(ShapeInference& s) {
  if (auto status = s.need_rank(0, 3); !status.ok()) return status;
  s.set(0, Shape());
  return s.input_count() > 1 ? s.need_rank(1, 0) : Status();
}

Op jpeg_decoding(Op op) {
  return std::move(op)
      .output("image", DType::uint8)
      .attr("channels", 0)
      .attr("ratio", 1)
      .attr("fancy_upscaling", true)
      .attr("try_recover_truncated", false)
      .attr("acceptable_fraction", 1.0f)
      .attr("dct_method", "")
      .gradient(not_differentiable);
}

void add_image_decoding_ops(OpCatalog& catalog) {
  catalog.add(jpeg_decoding(Op("DecodeJpeg").input("contents", DType::string))
      .doc("The image [height, width, channels] in a JPEG (or PNG) file, `ratio` times smaller; "
           "`channels` (0: as in the file) 1 is grey, 3 red, green and blue.")
      .infer_shape(infer_decoded));
  catalog.add(jpeg_decoding(Op("DecodeAndCropJpeg")
                                .input("contents", DType::string)
                                .input("crop_window", DType::int32))
      .doc("As DecodeJpeg, but only the part `crop_window` (y, x, height, width) of the image.")
      .infer_shape(infer_cropped));
  catalog.add(Op("ExtractJpegShape")
      .doc("The height, width and channels of the image in a JPEG file.")
      .input("contents", DType::string)
      .output("image_shape", "output_type")
      .attr("output_type", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {3});
        return s.need_rank(0, 0);
      })
      .gradient(not_differentiable));
  catalog.add(Op("DecodePng")
      .doc("The image [height, width, channels] in a PNG (or JPEG) file; `channels` (0: as in the "
           "file) 1 is grey, 3 red, green and blue, 4 also opacity.")
      .input("contents", DType::string)
      .output("image", "dtype")
      .attr("channels", 0)
      .attr("dtype", {DType::uint8, DType::uint16}, DType::uint8)
      .infer_shape(infer_decoded)
      .gradient(not_differentiable));
  catalog.add(Op("DecodeBmp")
      .doc("The image [height, width, channels] in a BMP file, which has 8, 24 or 32 bits for a "
           "pixel.")
      .input("contents", DType::string)
      .output("image", DType::uint8)
      .attr("channels", 0)
      .infer_shape(infer_decoded)
      .gradient(not_differentiable));
}

void add_animation_decoding_op(OpCatalog& catalog) {
  catalog.add(Op("DecodeGif")
      .doc("The frames [frames, height, width, 3] of the animation in a GIF file, or of the one "
           "image in a JPEG or PNG file. What a frame does not cover is as it was before.")
      .input("contents", DType::string)
      .output("image", DType::uint8)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {Shape::unknown, Shape::unknown, Shape::unknown, 3});
        return s.need_rank(0, 0);
      })
      .gradient(not_differentiable));
}

void add_image_encoding_ops(OpCatalog& catalog) {
  catalog.add(Op("EncodeJpeg")
      .doc("An image [height, width, channels] of 1 or 3 channels as a JPEG file; `quality` is "
           "from 0 to 100, densities are dots for an inch or a centimetre.")
      .input("image", DType::uint8)
      .output("contents", DType::string)
      .attr("format", "", {"", "grayscale", "rgb"})
      .attr("quality", 95)
      .attr("progressive", false)
      .attr("optimize_size", false)
      .attr("chroma_downsampling", true)
      .attr("density_unit", "in", {"in", "cm"})
      .attr("x_density", 300)
      .attr("y_density", 300)
      .attr("xmp_metadata", "")
      .infer_shape(infer_encoded)
      .gradient(not_differentiable));
  catalog.add(Op("EncodeJpegVariableQuality")
      .doc("An image [height, width, channels] of 1 or 3 channels as a JPEG file of that quality, "
           "from 0 to 100.")
      .input("images", DType::uint8)
      .input("quality", DType::int32)
      .output("contents", DType::string)
      .infer_shape(infer_encoded)
      .gradient(not_differentiable));
  catalog.add(Op("EncodePng")
      .doc("An image [height, width, channels] of 1 to 4 channels as a PNG file; `compression` is "
           "from 0 to 9, or -1 for the usual one.")
      .input("image", "T")
      .output("contents", DType::string)
      .attr("compression", -1)
      .attr("T", {DType::uint8, DType::uint16}, DType::uint8)
      .infer_shape(infer_encoded)
      .gradient(not_differentiable));
}

}  // namespace

void add_codecs_ops(OpCatalog& catalog) {
  add_image_decoding_ops(catalog);
  add_animation_decoding_op(catalog);
  add_image_encoding_ops(catalog);
}

}  // namespace troupe
