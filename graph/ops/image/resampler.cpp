#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The places of the samples, with the images' channels.
Status infer_resampled(ShapeInference& s) {
  const auto &data = s.input(0), &warp = s.input(1);
  if (data.is_scalar() || warp.is_scalar())
    return invalid_argument("'data' and 'warp' must have at least one axis");
  if (!warp.has_rank()) return {};
  auto shape = warp;
  shape.set(warp.rank() - 1, data.has_rank() ? data[data.rank() - 1] : Shape::unknown);
  s.set(0, shape);
  return {};
}

}  // namespace

void add_resampler_ops(OpCatalog& catalog) {
  catalog.add(Op("Resampler")
      .doc("Images [batch, height, width, channels] at places [batch, ..., 2], each x and y in "
           "pixels: between the four nearest pixels, those outside of the image being 0.")
      .input("data", "T")
      .input("warp", "T")
      .output("output", "T")
      .attr("T", floating())
      .infer_shape(infer_resampled)
      .gradient([](Gradient& g) {
        auto both = g.op("ResamplerGrad", {g.in(0), g.in(1), g.dy()});
        for (int i : {0, 1})
          if (g.wants(i)) g.to_input(i, both.output(i));
      }));
  catalog.add(Op("ResamplerGrad")
      .doc("The gradients of Resampler with respect to its images and its places.")
      .input("data", "T")
      .input("warp", "T")
      .input("grad_output", "T")
      .output("grad_data", "T")
      .output("grad_warp", "T")
      .attr("T", floating())
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        s.set(1, s.input(1));
        return Status();
      })
      .gradient(not_differentiable));
}

}  // namespace troupe
