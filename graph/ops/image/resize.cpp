#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

namespace {

const DTypes& resizable() {
  static const DTypes dtypes{DType::int8,    DType::uint8,    DType::int16,   DType::uint16,
                             DType::int32,   DType::int64,    DType::float16, DType::bfloat16,
                             DType::float32, DType::float64};
  return dtypes;
}

Op with_resize_attrs(Op op) {
  return std::move(op).attr("align_corners", false).attr("half_pixel_centers", false);
}

/// [batch, height, width, channels], with height and width from input 1.
Status infer_resized(ShapeInference& s) {
  if (auto status = s.need_rank(0, 4); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto shape = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(4);
  shape.set(1, Shape::unknown);
  shape.set(2, Shape::unknown);
  if (auto size = s.constant_ints(1)) {
    if (size->size() != 2)
      return invalid_argument(
          "'size' must have 2 elements, but has " + std::to_string(size->size()));
    for (int i = 0; i < 2; ++i) {
      auto value = (*size)[static_cast<size_t>(i)];
      if (value <= 0)
        return invalid_argument("'size' must be positive, but has " + std::to_string(value));
      shape.set(1 + i, value);
    }
  }
  s.set(0, shape);
  return {};
}

Attrs resize_attrs(const Gradient& g) {
  auto attrs = g.node().attrs;
  attrs.erase("T");
  return attrs;
}

Op resize_nearest_grad() {
  const DTypes dtypes{DType::uint8,   DType::int8,    DType::int32,
                      DType::float16, DType::float32, DType::float64};
  return with_resize_attrs(Op("ResizeNearestNeighborGrad")
                               .input("grads", "T")
                               .input("size", DType::int32)
                               .output("output", "T")
                               .attr("T", dtypes));
}

/// Of a gradient with respect to images: output 0 has the shape of input 1.
Status infer_resize_gradient(ShapeInference& s) {
  if (auto status = s.need_rank(0, 4); !status.ok()) return status;
  if (auto status = s.need_rank(1, 4); !status.ok()) return status;
  s.set(0, s.input(1));
  return {};
}

void add_weighted_ops(OpCatalog& catalog) {
  auto resize = [](const char* name) {
    return Op(name)
        .input("images", "T")
        .input("size", DType::int32)
        .output("resized_images", DType::float32)
        .attr("T", resizable())
        .infer_shape(infer_resized);
  };
  catalog.add(with_resize_attrs(resize("ResizeBicubic"))
      .doc("Images [batch, height, width, channels] in the height and width `size`, interpolated "
           "by cubic convolution of the 16 nearest pixels.")
      .gradient([](Gradient& g) {
        auto dtype = g.in(0).dtype();
        if (g.wants(0) && (dtype == DType::float32 || dtype == DType::float64))
          g.to_input(0, g.op("ResizeBicubicGrad", {g.dy(), g.in(0)}, resize_attrs(g)));
      }));
  catalog.add(with_resize_attrs(Op("ResizeBicubicGrad")
                                    .input("grads", DType::float32)
                                    .input("original_image", "T")
                                    .output("output", "T")
                                    .attr("T", {DType::float32, DType::float64}))
      .doc("The gradient of ResizeBicubic with respect to its images.")
      .infer_shape(infer_resize_gradient));
  catalog.add(resize("ResizeArea")
      .doc("Images [batch, height, width, channels] in the height and width `size`: each pixel is "
           "the mean of the area that it covers.")
      .attr("align_corners", false));
}

Op with_kernel(Op op) {
  return std::move(op).attr("kernel_type", "lanczos3").attr("antialias", true);
}

void add_scale_and_translate_ops(OpCatalog& catalog) {
  catalog.add(with_kernel(Op("ScaleAndTranslate")
                              .input("images", "T")
                              .input("size", DType::int32)
                              .input("scale", DType::float32)
                              .input("translation", DType::float32)
                              .output("resized_images", DType::float32)
                              .attr("T", resizable()))
      .doc("Images [batch, height, width, channels], of which each pixel goes to `scale` times its "
           "place plus `translation`, cut to the height and width `size`: sums of pixels weighted "
           "by a kernel, which is wider where images get smaller and `antialias` says so.")
      .infer_shape(infer_resized)
      .gradient([](Gradient& g) {
        if (g.wants(0) && g.in(0).dtype() == DType::float32)
          g.to_input(
              0, g.op("ScaleAndTranslateGrad", {g.dy(), g.in(0), g.in(2), g.in(3)},
                      resize_attrs(g)));
      }));
  catalog.add(with_kernel(Op("ScaleAndTranslateGrad")
                              .input("grads", "T")
                              .input("original_image", "T")
                              .input("scale", DType::float32)
                              .input("translation", DType::float32)
                              .output("output", "T")
                              .attr("T", DTypes{DType::float32}))
      .doc("The gradient of ScaleAndTranslate with respect to its images.")
      .infer_shape(infer_resize_gradient));
}

}  // namespace

void add_resize_ops(OpCatalog& catalog) {
  catalog.add(with_resize_attrs(Op("ResizeBilinear")
                                    .input("images", "T")
                                    .input("size", DType::int32)
                                    .output("resized_images", DType::float32)
                                    .attr("T", resizable()))
      .doc("Images [batch, height, width, channels] in the height and width `size`, interpolated "
           "between the four nearest pixels.")
      .infer_shape(infer_resized)
      .gradient([](Gradient& g) {
        if (g.wants(0))
          g.to_input(0, g.op("ResizeBilinearGrad", {g.dy(), g.in(0)}, resize_attrs(g)));
      }));
  catalog.add(with_resize_attrs(Op("ResizeBilinearGrad")
                                    .input("grads", DType::float32)
                                    .input("original_image", "T")
                                    .output("output", "T")
                                    .attr("T", floating()))
      .doc("The gradient of ResizeBilinear with respect to its images.")
      .infer_shape(infer_resize_gradient));
  add_weighted_ops(catalog);
  add_scale_and_translate_ops(catalog);
  catalog.add(with_resize_attrs(Op("ResizeNearestNeighbor")
                                    .input("images", "T")
                                    .input("size", DType::int32)
                                    .output("resized_images", "T")
                                    .attr("T", resizable()))
      .doc("Images [batch, height, width, channels] in the height and width `size`: each pixel is "
           "the nearest one.")
      .infer_shape(infer_resized)
      .gradient([](Gradient& g) {
        if (!g.wants(0)) return;
        auto size = g.op("Slice", {g.shape_of(g.in(0)), g.ints({1}), g.ints({2})});
        g.to_input(0, g.op("ResizeNearestNeighborGrad", {g.dy(), size}, resize_attrs(g)));
      }));
  catalog.add(resize_nearest_grad()
      .doc("The gradient of ResizeNearestNeighbor with respect to its images, which have the "
           "height and width `size`.")
      .infer_shape(infer_resized));
}

}  // namespace troupe
