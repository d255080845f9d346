#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_same_shapes(ShapeInference& s) {
  auto shape = s.input(0).merge(s.input(1));
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status need_rank_at_least(const ShapeInference& s, int rank) {
  if (!s.input(0).has_rank() || s.input(0).rank() >= rank) return {};
  return invalid_argument(
      "input 0 must have at least rank " + std::to_string(rank) + ", but its shape is " +
      s.input(0).to_string());
}

Value last_axis_sum(const Gradient& g, const Value& x) {
  return g.reduce_sum(x, {-1}, /*keep_dims=*/true);
}

void add_relu(OpCatalog& catalog) {
  catalog.add(Op("Relu")
      .doc("max(features, 0), element-wise.")
      .input("features", "T")
      .output("activations", "T")
      .attr("T", real())
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) { g.to_input(0, g.op("ReluGrad", {g.dy(), g.out(0)})); }));
  catalog.add(Op("ReluGrad")
      .doc("`gradients` where `features` (or the activations made from them) are positive, else 0.")
      .input("gradients", "T")
      .input("features", "T")
      .output("backprops", "T")
      .attr("T", real())
      .infer_shape(infer_same_shapes)
      .gradient([](Gradient& g) {
        g.to_input(0, g.op("ReluGrad", {g.dy(), g.in(1)}));
        if (g.wants(1)) g.to_input(1, g.zeros_like(g.in(1)));
      }));
}

/// The axis that the biases belong to; NCHW stands for [batch, channels, ...] of rank 3 or more.
int channel_axis(const std::string& data_format, int rank) {
  return data_format == "NCHW" ? 1 : rank - 1;
}

int channel_rank_min(const ShapeInference& s) {
  return s.attr<std::string>("data_format") == "NCHW" ? 3 : 2;
}

Status infer_bias_add(ShapeInference& s) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  if (auto status = need_rank_at_least(s, channel_rank_min(s)); !status.ok()) return status;
  auto result = s.input(0);
  s.set(0, result);
  if (!result.has_rank() || !s.input(1).has_rank()) return {};
  auto axis = channel_axis(s.attr<std::string>("data_format"), result.rank());
  auto channels = Shape{result[axis]}.merge(s.input(1));
  if (!channels)
    return invalid_argument(
        "'bias' must have the size of axis " + std::to_string(axis) + " of the value, of shape " +
        result.to_string() + ", but its shape is " + s.input(1).to_string());
  result.set(axis, (*channels)[0]);
  s.set(0, result);
  return {};
}

Status infer_bias_add_grad(ShapeInference& s) {
  if (auto status = need_rank_at_least(s, channel_rank_min(s)); !status.ok()) return status;
  const auto& x = s.input(0);
  s.set(0, {Shape::unknown});
  if (x.has_rank()) s.set(0, {x[channel_axis(s.attr<std::string>("data_format"), x.rank())]});
  return {};
}

void bias_add_grad_gradient(Gradient& g) {
  auto dy = g.dy();
  if (g.node().attr<std::string>("data_format") == "NCHW") {
    auto behind = g.op("Slice", {g.shape_of(g.in(0)), g.ints({2}), g.ints({-1})});
    auto ones = g.op("OnesLike", {behind});
    dy = g.reshape(dy, g.op("ConcatV2", {g.ints({-1}), ones, g.constant(0)}));
  }
  g.to_input(0, g.op("BroadcastTo", {dy, g.shape_of(g.in(0))}));
}

void add_bias(OpCatalog& catalog) {
  catalog.add(Op("BiasAdd")
      .doc("The value plus a bias for each channel: along the last axis (NHWC), or the second "
           "(NCHW).")
      .input("value", "T")
      .input("bias", "T")
      .output("output", "T")
      .attr("T", numeric())
      .attr("data_format", "NHWC", {"NHWC", "NCHW"})
      .infer_shape(infer_bias_add)
      .gradient([](Gradient& g) {
        g.to_input(0, g.dy());
        auto format = g.node().attr<std::string>("data_format");
        if (g.wants(1)) g.to_input(1, g.op("BiasAddGrad", {g.dy()}, {{"data_format", format}}));
      }));
  catalog.add(Op("BiasAddGrad")
      .doc("The gradient with respect to the bias: the sum over all axes but the channels'.")
      .input("out_backprop", "T")
      .output("output", "T")
      .attr("T", numeric())
      .attr("data_format", "NHWC", {"NHWC", "NCHW"})
      .infer_shape(infer_bias_add_grad)
      .gradient(bias_add_grad_gradient));
}

Status infer_softmax(ShapeInference& s) {
  s.set(0, s.input(0));
  return need_rank_at_least(s, 1);
}

void add_softmax(OpCatalog& catalog) {
  catalog.add(Op("Softmax")
      .doc("e^logits over its sum, along the last axis.")
      .input("logits", "T")
      .output("softmax", "T")
      .attr("T", floating())
      .infer_shape(infer_softmax)
      .gradient([](Gradient& g) {
        auto mean = last_axis_sum(g, g.dy() * g.out(0));
        g.to_input(0, (g.dy() - mean) * g.out(0));
      }));
  catalog.add(Op("LogSoftmax")
      .doc("The logarithm of Softmax, without its rounding errors.")
      .input("logits", "T")
      .output("logsoftmax", "T")
      .attr("T", floating())
      .infer_shape(infer_softmax)
      .gradient([](Gradient& g) {
        g.to_input(0, g.dy() - last_axis_sum(g, g.dy()) * g.exp(g.out(0)));
      }));
}

Status infer_cross_entropy(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 2); !status.ok()) return status;
  auto both = s.input(0).merge(s.input(1));
  if (!both) return both.status();
  auto backprop = both->has_rank() ? *both : Shape::of_rank(2);
  s.set(0, {backprop[0]});
  s.set(1, backprop);
  return {};
}

Status infer_sparse_cross_entropy(ShapeInference& s) {
  if (auto status = s.need_rank(0, 2); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto features = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(2);
  auto batch = Shape{features[0]}.merge(s.input(1));
  if (!batch)
    return invalid_argument(
        "there must be a label for each row of the features, of shape " + features.to_string() +
        ", but the labels' shape is " + s.input(1).to_string());
  if (features[1] == 0) return invalid_argument("there must be at least one class");
  s.set(0, *batch);
  s.set(1, {(*batch)[0], features[1]});
  return {};
}

/// The gradient with respect to the features of either cross entropy: op output 1 is that of the
/// loss, and depends on the features through their softmax alone.
void cross_entropy_gradient(Gradient& g) {
  auto per_row = g.op("ExpandDims", {g.dy(0), g.constant(-1)});
  auto total = per_row * g.out(1);
  if (g.has_dy(1)) {
    auto softmax = g.softmax(g.in(0));
    auto mean = last_axis_sum(g, g.dy(1) * softmax);
    total = total + (g.dy(1) - mean) * softmax;
  }
  if (g.wants(0)) g.to_input(0, total);
  if (!g.wants(1)) return;
  auto to_labels = -(per_row * g.op("LogSoftmax", {g.in(0)}));
  g.to_input(1, g.has_dy(1) ? to_labels - g.dy(1) : to_labels);
}

void add_cross_entropy(OpCatalog& catalog) {
  catalog.add(Op("SoftmaxCrossEntropyWithLogits")
      .doc("For each row, the cross entropy of its labels (probabilities of the classes) and the "
           "softmax of its features; and the gradient of that with respect to the features.")
      .input("features", "T")
      .input("labels", "T")
      .output("loss", "T")
      .output("backprop", "T")
      .attr("T", floating())
      .infer_shape(infer_cross_entropy)
      .gradient(cross_entropy_gradient));
  catalog.add(Op("SparseSoftmaxCrossEntropyWithLogits")
      .doc("As SoftmaxCrossEntropyWithLogits, where a label is the number of the one right class.")
      .input("features", "T")
      .input("labels", "Tlabels")
      .output("loss", "T")
      .output("backprop", "T")
      .attr("T", floating())
      .attr("Tlabels", indexing(), DType::int64)
      .infer_shape(infer_sparse_cross_entropy)
      .gradient(cross_entropy_gradient));
  catalog.add(Op("L2Loss")
      .doc("Half the sum of the squares of all elements.")
      .input("t", "T")
      .output("output", "T")
      .attr("T", floating())
      .infer_shape(shapes::scalar())
      .gradient([](Gradient& g) { g.to_input(0, g.in(0) * g.dy()); }));
}

}  // namespace

void add_nn_ops(OpCatalog& catalog) {
  add_relu(catalog);
  add_bias(catalog);
  add_softmax(catalog);
  add_cross_entropy(catalog);
}

}  // namespace troupe
