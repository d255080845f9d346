#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

const DTypes& croppable() {
  static const DTypes dtypes{DType::uint8, DType::uint16,  DType::int8,    DType::int16,
                             DType::int32, DType::int64,   DType::float16, DType::float32,
                             DType::float64};
  return dtypes;
}

/// The number of boxes, as far as it is known from inputs `boxes` and box_ind behind it.
Result<int64_t> count_of_boxes(const ShapeInference& s, int boxes) {
  auto shape = s.input(boxes).merge({Shape::unknown, 4});
  if (!shape) return shape.status();
  auto indices = s.input(boxes + 1).merge({(*shape)[0]});
  if (!indices) return indices.status();
  return (*indices)[0];
}

Status infer_crops(ShapeInference& s) {
  if (auto status = s.need_rank(0, 4); !status.ok()) return status;
  auto count = count_of_boxes(s, 1);
  if (!count) return count.status();
  auto size = s.input(3).merge({2});
  if (!size) return size.status();
  auto channels = s.input(0).has_rank() ? s.input(0)[3] : Shape::unknown;
  Shape shape{*count, Shape::unknown, Shape::unknown, channels};
  if (auto sizes = s.constant_ints(3))
    for (int i = 0; i < 2; ++i) {
      auto value = (*sizes)[static_cast<size_t>(i)];
      if (value <= 0)
        return invalid_argument("'crop_size' must be positive, but has " + std::to_string(value));
      shape.set(1 + i, value);
    }
  s.set(0, shape);
  return {};
}

void crop_gradient(Gradient& g) {
  const auto& image = g.in(0);
  auto dtype = image.dtype();
  auto method = g.node().attr<std::string>("method");
  if (g.wants(0) &&
      (dtype == DType::float16 || dtype == DType::float32 || dtype == DType::float64))
    g.to_input(
        0, g.op("CropAndResizeGradImage", {g.dy(), g.in(1), g.in(2), g.shape_of(image)},
                {{"T", dtype}, {"method", method}}));
  if (g.wants(1))
    g.to_input(1, g.op("CropAndResizeGradBoxes", {g.dy(), image, g.in(1), g.in(2)}));
}

}  // namespace

void add_crop_ops(OpCatalog& catalog) {
  catalog.add(Op("CropAndResize")
      .doc("A crop of the height and width `crop_size` for each box [y1, x1, y2, x2], in which 0 "
           "and 1 are the first and the last pixel of image `box_ind` of [batch, height, width, "
           "channels]; outside of the image it is `extrapolation_value`.")
      .input("image", "T")
      .input("boxes", DType::float32)
      .input("box_ind", DType::int32)
      .input("crop_size", DType::int32)
      .output("crops", DType::float32)
      .attr("T", croppable())
      .attr("method", "bilinear", {"bilinear", "nearest"})
      .attr("extrapolation_value", 0.0f)
      .infer_shape(infer_crops)
      .gradient(crop_gradient));
  catalog.add(Op("CropAndResizeGradImage")
      .doc("The gradient of CropAndResize with respect to images of the shape `image_size`.")
      .input("grads", DType::float32)
      .input("boxes", DType::float32)
      .input("box_ind", DType::int32)
      .input("image_size", DType::int32)
      .output("output", "T")
      .attr("T", {DType::float16, DType::float32, DType::float64})
      .attr("method", "bilinear", {"bilinear", "nearest"})
      .infer_shape([](ShapeInference& s) -> Status {
        auto count = count_of_boxes(s, 1);
        if (!count) return count.status();
        auto shape = s.input_as_shape(3);
        if (!shape) return shape.status();
        auto images = shape->merge(Shape::of_rank(4));
        if (!images) return images.status();
        s.set(0, *images);
        return {};
      }));
  catalog.add(Op("CropAndResizeGradBoxes")
      .doc("The gradient of CropAndResize, by bilinear interpolation, with respect to its boxes.")
      .input("grads", DType::float32)
      .input("image", "T")
      .input("boxes", DType::float32)
      .input("box_ind", DType::int32)
      .output("output", DType::float32)
      .attr("T", croppable())
      .attr("method", "bilinear", {"bilinear"})
      .infer_shape([](ShapeInference& s) -> Status {
        auto count = count_of_boxes(s, 2);
        if (!count) return count.status();
        s.set(0, {*count, 4});
        return {};
      }));
}

}  // namespace troupe
