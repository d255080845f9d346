#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/nn/batch_norm_gradient.hpp"
#include "troupe/graph/ops/nn/window.hpp"

namespace troupe {

using namespace ops;

namespace {

/// The three versions of batch normalization: the second has a dtype of its own for statistics, the
/// third one more output.
struct BatchNormVersion {
  std::string suffix, statistics;  // the name of the dtype attribute of statistics
  bool has_reserve_3 = false;
};

/// The shape of the images that the first inputs are, whose channels fit those inputs that are
/// vectors.
Result<Shape> normalized_images(
    const ShapeInference& s, int images, const std::vector<int>& vectors) {
  auto axis = ImageLayout::of(s.attr<std::string>("data_format")).channel_axis();
  for (int i = 0; i < images; ++i)
    if (auto status = s.need_rank(i, 4); !status.ok()) return status;
  auto shape = Shape::of_rank(4);
  for (int i = 0; i < images; ++i) {
    auto merged = shape.merge(s.input(i));
    if (!merged) return merged.status();
    shape = *merged;
  }
  for (auto i : vectors) {
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
    auto channels = Shape{shape[axis]}.merge(s.input(i));
    if (!channels)
      return invalid_argument(
          "input " + std::to_string(i) + " must have an element for each channel of " +
          shape.to_string() + ", but its shape is " + s.input(i).to_string());
    shape.set(axis, (*channels)[0]);
  }
  return shape;
}

Shape channels_of(const ShapeInference& s, const Shape& images) {
  return {images[ImageLayout::of(s.attr<std::string>("data_format")).channel_axis()]};
}

Status infer_batch_norm(ShapeInference& s) {
  std::vector<int> vectors{1, 2};
  // In training the statistics are computed, and those given are not used.
  for (int i : {3, 4}) {
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
    if (!s.attr<bool>("is_training")) vectors.push_back(i);
  }
  auto images = normalized_images(s, 1, vectors);
  if (!images) return images.status();
  s.set(0, *images);
  for (int i = 1; i < 5; ++i) s.set(i, channels_of(s, *images));
  if (s.outputs().size() > 5) s.set(5, {});
  return {};
}

Status infer_batch_norm_grad(ShapeInference& s) {
  auto images = normalized_images(s, 2, {2, 3, 4});
  if (!images) return images.status();
  s.set(0, *images);
  for (int i : {1, 2}) s.set(i, channels_of(s, *images));
  for (int i : {3, 4}) s.set(i, {0});
  return {};
}

Attrs batch_norm_attrs(const Gradient& g) {
  Attrs attrs;
  for (auto name : {"epsilon", "data_format", "is_training"})
    attrs[name] = g.node().attrs.find(name)->second;
  return attrs;
}

Op with_batch_norm_attrs(Op op, const BatchNormVersion& version) {
  auto is_first = version.statistics == "T";
  auto typed = std::move(op).attr(
      "T", is_first ? DTypes{DType::float32, DType::float64} : floating());
  if (!is_first) std::move(typed).attr("U", DTypes{DType::float32, DType::float64});
  return std::move(typed)
      .attr("epsilon", 0.0001f)
      .attr("data_format", "NHWC", {"NHWC", "NCHW"})
      .attr("is_training", true);
}

void add_batch_norm(OpCatalog& catalog, const BatchNormVersion& version) {
  const auto& u = version.statistics;
  auto grad = "FusedBatchNormGrad" + version.suffix;
  auto op = Op("FusedBatchNorm" + version.suffix)
      .doc("Images with mean 0 and variance 1 of each channel, times `scale`, plus `offset`. In "
           "training by the statistics of this batch, which are outputs, the variance of a larger "
           "population; else by `mean` and `variance`.")
      .input("x", "T")
      .input("scale", u)
      .input("offset", u)
      .input("mean", u)
      .input("variance", u)
      .output("y", "T")
      .output("batch_mean", u)
      .output("batch_variance", u)
      .output("reserve_space_1", u)
      .output("reserve_space_2", u);
  if (version.has_reserve_3) std::move(op).output("reserve_space_3", u);
  auto has_reserve_3 = version.has_reserve_3;
  catalog.add(with_batch_norm_attrs(std::move(op), version)
      .infer_shape(infer_batch_norm)
      .gradient([=](Gradient& g) {
        auto is_training = g.node().attr<bool>("is_training");
        auto mean = is_training ? g.out(3) : g.in(3), variance = is_training ? g.out(4) : g.in(4);
        Values inputs{g.dy(), g.in(0), g.in(1), mean, variance};
        if (has_reserve_3) inputs.push_back(g.out(5));
        auto result = g.op(grad, inputs, batch_norm_attrs(g));
        for (int i = 0; result.is_valid() && i < 3; ++i) g.to_input(i, result.output(i));
      }));
}

void add_batch_norm_grad(OpCatalog& catalog, const BatchNormVersion& version) {
  const auto& u = version.statistics;
  auto op = Op("FusedBatchNormGrad" + version.suffix)
      .doc("The gradients of the batch normalization with respect to x, scale and offset. "
           "`reserve_space_1` and `reserve_space_2` are mean and variance of each channel: in "
           "training outputs of the forward op, else its inputs.")
      .input("y_backprop", "T")
      .input("x", "T")
      .input("scale", u)
      .input("reserve_space_1", u)
      .input("reserve_space_2", u);
  if (version.has_reserve_3) std::move(op).input("reserve_space_3", u);
  auto first = version.has_reserve_3 ? 4 : 3;
  catalog.add(with_batch_norm_attrs(
      std::move(op)
          .output("x_backprop", "T")
          .output("scale_backprop", u)
          .output("offset_backprop", u)
          .output("reserve_space_" + std::to_string(first), u)
          .output("reserve_space_" + std::to_string(first + 1), u),
      version)
      .infer_shape(infer_batch_norm_grad)
      .gradient(differentiate_batch_norm_grad));
}

Op with_lrn_attrs(Op op) {
  return std::move(op)
      .attr("depth_radius", 5)
      .attr("bias", 1.0f)
      .attr("alpha", 1.0f)
      .attr("beta", 0.5f)
      .attr("T", floating(), DType::float32);
}

Op::InferShape same_images(int count) {
  return [count](ShapeInference& s) -> Status {
    if (s.attr<int64_t>("depth_radius") < 0)
      return invalid_argument("attribute 'depth_radius' must not be negative");
    auto shape = Shape::of_rank(4);
    for (int i = 0; i < count; ++i) {
      if (auto status = s.need_rank(i, 4); !status.ok()) return status;
      auto merged = shape.merge(s.input(i));
      if (!merged) return merged.status();
      shape = *merged;
    }
    s.set(0, shape);
    return {};
  };
}

void add_local_response_normalization(OpCatalog& catalog) {
  catalog.add(with_lrn_attrs(Op("LRN").input("input", "T").output("output", "T"))
      .doc("input / (bias + alpha * sum)^beta, where the sum is that of the squares of the "
           "channels at most `depth_radius` away.")
      .infer_shape(same_images(1))
      .gradient([](Gradient& g) {
        auto attrs = g.node().attrs;
        attrs.erase("T");
        g.to_input(0, g.op("LRNGrad", {g.dy(), g.in(0), g.out(0)}, attrs));
      }));
  catalog.add(with_lrn_attrs(
      Op("LRNGrad")
          .input("input_grads", "T")
          .input("input_image", "T")
          .input("output_image", "T")
          .output("output", "T"))
      .doc("The gradient of LRN, from those of its output, its input and its output.")
      .infer_shape(same_images(3)));
}

}  // namespace

void add_normalization_ops(OpCatalog& catalog) {
  for (const auto& version : {BatchNormVersion{"", "T"}, BatchNormVersion{"V2", "U"},
                              BatchNormVersion{"V3", "U", true}}) {
    add_batch_norm(catalog, version);
    add_batch_norm_grad(catalog, version);
  }
  add_local_response_normalization(catalog);
}

}  // namespace troupe
