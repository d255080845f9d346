#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/nn/window.hpp"

namespace troupe {

using namespace ops;

namespace {

/// What the three ops of a kind of convolution have in common.
struct ConvolutionKind {
  std::string forward, to_input, to_filter;  // the names of the ops
  int spatial;
  bool is_depthwise = false;
  bool has_paddings = false;  // and use_cudnn_on_gpu
  bool has_sizes_dtype = false;
};

using Kind = ConvolutionKind;

/// The input's shape as one with the layout's rank.
Result<Shape> ranked_input(const ShapeInference& s, int index, int rank) {
  if (auto status = s.need_rank(index, rank); !status.ok()) return status;
  return s.input(index).has_rank() ? s.input(index) : Shape::of_rank(rank);
}

Status infer_convolution(ShapeInference& s, const Kind& kind) {
  auto windows = Windows::make(convolution_attrs(s, kind.has_paddings));
  if (!windows) return windows.status();
  auto input = ranked_input(s, 0, kind.spatial + 2), filter = ranked_input(s, 1, kind.spatial + 2);
  if (!input) return input.status();
  if (!filter) return filter.status();
  auto result = convolved_shape(*windows, *input, *filter, kind.is_depthwise);
  if (result) s.set(0, *result);
  return result.status();
}

/// Of the gradient with respect to the input (`sizes` 0) or the filter (1): that shape, which is
/// another input.
Status infer_backprop(ShapeInference& s, const Kind& kind, int sizes) {
  auto windows = Windows::make(convolution_attrs(s, kind.has_paddings));
  if (!windows) return windows.status();
  auto rank = kind.spatial + 2;
  for (int i : {1 - sizes, 2})
    if (auto status = s.need_rank(i, rank); !status.ok()) return status;
  auto shape = s.input_as_shape(sizes);
  if (!shape) return shape.status();
  if (shape->has_rank() && shape->rank() != rank)
    return invalid_argument(
        "input " + std::to_string(sizes) + " must be a shape of rank " + std::to_string(rank) +
        ", but is " + shape->to_string());
  s.set(0, shape->has_rank() ? *shape : Shape::of_rank(rank));
  return {};
}

/// The attributes of a node that the other ops of its kind have too.
Attrs common_attrs(const Gradient& g) {
  auto attrs = g.node().attrs;
  attrs.erase("T");
  attrs.erase("Tshape");
  return attrs;
}

Value to_input_op(Gradient& g, const Kind& kind, const Value& like, Values filter_and_dy) {
  return g.op(
      kind.to_input, {g.shape_of(like), filter_and_dy[0], filter_and_dy[1]}, common_attrs(g));
}

Value to_filter_op(Gradient& g, const Kind& kind, const Value& input, Values like_and_dy) {
  return g.op(kind.to_filter, {input, g.shape_of(like_and_dy[0]), like_and_dy[1]}, common_attrs(g));
}

Op with_attrs(Op op, const Kind& kind) {
  auto floats = std::move(op).attr("T", floating()).attr("strides", AttrType::integers);
  auto is_flat = kind.spatial == 2;
  auto padded = kind.has_paddings
                    ? std::move(floats)
                          .attr("use_cudnn_on_gpu", true)
                          .attr("padding", AttrType::string)
                          .attr("explicit_paddings", std::vector<int64_t>())
                    : std::move(floats).attr("padding", AttrType::string);
  return std::move(padded)
      .attr("data_format", is_flat ? "NHWC" : "NDHWC",
            is_flat ? std::vector<std::string>{"NHWC", "NCHW"}
                    : std::vector<std::string>{"NDHWC", "NCDHW"})
      .attr("dilations", std::vector<int64_t>(static_cast<size_t>(kind.spatial) + 2, 1));
}

void add_forward(OpCatalog& catalog, const Kind& kind, const char* doc) {
  catalog.add(with_attrs(
      Op(kind.forward).doc(doc).input("input", "T").input("filter", "T").output("output", "T"),
      kind)
      .infer_shape([kind](ShapeInference& s) { return infer_convolution(s, kind); })
      .gradient([kind](Gradient& g) {
        if (g.wants(0)) g.to_input(0, to_input_op(g, kind, g.in(0), {g.in(1), g.dy()}));
        if (g.wants(1)) g.to_input(1, to_filter_op(g, kind, g.in(0), {g.in(1), g.dy()}));
      }));
}

void add_to_input(OpCatalog& catalog, const Kind& kind, const char* doc) {
  auto op = kind.has_sizes_dtype ? Op(kind.to_input).input("input_sizes", "Tshape")
                                 : Op(kind.to_input).input("input_sizes", DType::int32);
  auto whole = with_attrs(
      std::move(op).doc(doc).input("filter", "T").input("out_backprop", "T").output("output", "T"),
      kind);
  if (kind.has_sizes_dtype) std::move(whole).attr("Tshape", indexing(), DType::int32);
  catalog.add(std::move(whole)
      .infer_shape([kind](ShapeInference& s) { return infer_backprop(s, kind, 0); })
      .gradient([kind](Gradient& g) {
        if (g.wants(1)) g.to_input(1, to_filter_op(g, kind, g.dy(), {g.in(1), g.in(2)}));
        if (g.wants(2)) g.to_input(2, g.op(kind.forward, {g.dy(), g.in(1)}, common_attrs(g)));
      }));
}

void add_to_filter(OpCatalog& catalog, const Kind& kind, const char* doc) {
  catalog.add(with_attrs(
      Op(kind.to_filter)
          .doc(doc)
          .input("input", "T")
          .input("filter_sizes", DType::int32)
          .input("out_backprop", "T")
          .output("output", "T"),
      kind)
      .infer_shape([kind](ShapeInference& s) { return infer_backprop(s, kind, 1); })
      .gradient([kind](Gradient& g) {
        if (g.wants(0)) g.to_input(0, to_input_op(g, kind, g.in(0), {g.dy(), g.in(2)}));
        if (g.wants(2)) g.to_input(2, g.op(kind.forward, {g.in(0), g.dy()}, common_attrs(g)));
      }));
}

}  // namespace

void add_convolution_ops(OpCatalog& catalog) {
  Kind flat{"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", 2};
  flat.has_paddings = true;
  add_forward(
      catalog, flat,
      "Images filtered by a [height, width, channels, outputs] filter: each output is the sum of "
      "the products of the filter and a window of all channels. Where the input has several times "
      "the filter's channels, each group of them makes as many of the outputs.");
  add_to_input(catalog, flat, "The gradient of Conv2D with respect to its input.");
  add_to_filter(catalog, flat, "The gradient of Conv2D with respect to its filter.");

  const std::string depthwise = "DepthwiseConv2dNative";
  Kind by_channel{depthwise, depthwise + "BackpropInput", depthwise + "BackpropFilter", 2};
  by_channel.is_depthwise = true;
  add_forward(
      catalog, by_channel,
      "Images filtered by a [height, width, channels, multiplier] filter: each channel by itself, "
      "to `multiplier` outputs.");
  add_to_input(catalog, by_channel, "The gradient of DepthwiseConv2dNative by its input.");
  add_to_filter(catalog, by_channel, "The gradient of DepthwiseConv2dNative by its filter.");

  Kind deep{"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", 3};
  deep.has_sizes_dtype = true;
  add_forward(
      catalog, deep,
      "Volumes filtered by a [depth, height, width, channels, outputs] filter, as Conv2D.");
  add_to_input(catalog, deep, "The gradient of Conv3D with respect to its input.");
  add_to_filter(catalog, deep, "The gradient of Conv3D with respect to its filter.");
}

}  // namespace troupe
