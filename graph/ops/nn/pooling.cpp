#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/nn/window.hpp"

namespace troupe {

using namespace ops;

namespace {

/// Where the numbers of a pool's windows come from.
struct PoolSource {
  int rank = 4;
  bool has_format = true;
  int sizes_input = -1;  // and strides the next, where they are inputs and not attributes
  bool may_span_channels = true;
};

/// The windows, or nothing where they depend on inputs whose values are not known.
Result<std::optional<Windows>> pool_windows(const ShapeInference& s, const PoolSource& source) {
  auto attrs = pool_attrs(s, source.has_format, source.sizes_input < 0);
  if (source.sizes_input >= 0) {
    for (int i : {0, 1})
      if (auto status = s.need_rank(source.sizes_input + i, 1); !status.ok()) return status;
    auto sizes = s.constant_ints(source.sizes_input);
    auto strides = s.constant_ints(source.sizes_input + 1);
    if (!sizes || !strides) return std::optional<Windows>();
    attrs.sizes = sizes;
    attrs.strides = *strides;
  }
  auto windows = Windows::make(attrs);
  if (!windows) return windows.status();
  if (pools_channels(*windows) && !source.may_span_channels)
    return invalid_argument("attributes 'ksize' and 'strides' must be 1 for the channels");
  return std::optional(*windows);
}

/// The pooled shape of an input, in `shape`.
Status infer_pooled(const ShapeInference& s, const PoolSource& source, int input, Shape& shape) {
  if (auto status = s.need_rank(input, source.rank); !status.ok()) return status;
  shape = Shape::of_rank(source.rank);
  auto windows = pool_windows(s, source);
  if (!windows) return windows.status();
  if (!*windows) return {};
  auto pooled = pooled_shape(**windows, s.input(input).has_rank() ? s.input(input) : shape);
  if (pooled) shape = *pooled;
  return pooled.status();
}

Op::InferShape pooled(const PoolSource& source, int outputs = 1) {
  return [=](ShapeInference& s) {
    auto shape = Shape::unknown_rank();
    auto status = infer_pooled(s, source, 0, shape);
    for (int i = 0; i < outputs; ++i) s.set(i, shape);
    return status;
  };
}

/// Of an op with inputs of the shapes of the pool's input and output. Its result has the shape of
/// the output where `is_pooled`, else of the input.
Op::InferShape like_pool(const PoolSource& source, std::vector<int> outputs, bool is_pooled) {
  return [=](ShapeInference& s) -> Status {
    auto shape = Shape::unknown_rank();
    auto status = infer_pooled(s, source, 0, shape);
    for (auto i : outputs) {
      if (!status.ok()) return status;
      auto merged = shape.merge(s.input(i));
      if (!merged)
        return invalid_argument(
            "input " + std::to_string(i) + " must have the pooled shape, " + shape.to_string() +
            ", but has " + s.input(i).to_string());
      shape = *merged;
    }
    auto input = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(source.rank);
    s.set(0, is_pooled ? shape : input);
    return status;
  };
}

DTypes pool_dtypes() {
  auto dtypes = floating();
  for (auto dtype : {DType::int32, DType::int64, DType::uint8, DType::int16, DType::int8,
                     DType::uint16})
    dtypes.push_back(dtype);
  return dtypes;
}

/// The attributes that the gradients of a pool have too.
Attrs window_attrs(const Gradient& g) {
  auto attrs = g.node().attrs;
  for (auto name : {"T", "TInput", "Targmax"}) attrs.erase(name);
  return attrs;
}

Op with_format(Op op, int rank) {
  return rank == 4 ? std::move(op).attr("data_format", "NHWC", {"NHWC", "NCHW"})
                   : std::move(op).attr("data_format", "NDHWC", {"NDHWC", "NCDHW"});
}

Op with_windows(Op op, int rank) {
  return std::move(op)
      .attr("ksize", AttrType::integers)
      .attr_at_least("ksize", rank)
      .attr("strides", AttrType::integers)
      .attr_at_least("strides", rank)
      .attr("padding", AttrType::string);
}

/// The gradient with respect to the third input, which the op is linear in: by its reverse. It
/// depends on the first two only by which elements are the greatest.
Op::MakeGradient by_reverse(const std::string& reverse) {
  return [reverse](Gradient& g) {
    for (int i : {0, 1})
      if (g.wants(i)) g.to_input(i, g.zeros_like(g.in(i)));
    Values inputs{g.in(0), g.in(1), g.dy()};
    for (int i = 3; i < g.input_count(); ++i) inputs.push_back(g.in(i));
    if (g.wants(2)) g.to_input(2, g.op(reverse, inputs, window_attrs(g)));
  };
}

/// MaxPool or MaxPool3D, and the ops of its derivatives.
void add_max_pool(OpCatalog& catalog, const std::string& name, int rank) {
  PoolSource source{.rank = rank, .may_span_channels = rank == 4};
  auto grad = name + "Grad", grad_grad = name + "GradGrad";
  auto is_flat = rank == 4;
  auto pool = with_windows(Op(name).input("input", "T").output("output", "T"), rank);
  catalog.add(with_format(std::move(pool), rank)
      .doc("The greatest element of each window, by channel.")
      .attr("T", is_flat ? pool_dtypes() : floating(),
            is_flat ? std::optional(DType::float32) : std::nullopt)
      .infer_shape(pooled(source))
      .gradient([grad](Gradient& g) {
        g.to_input(0, g.op(grad, {g.in(0), g.out(0), g.dy()}, window_attrs(g)));
      }));
  // The gradient of MaxPool3DGrad has a dtype of its own, but no kernel where it differs.
  auto input_dtype = is_flat ? "T" : "TInput";
  auto to_input = with_windows(
      Op(grad)
          .input("orig_input", input_dtype)
          .input("orig_output", input_dtype)
          .input("grad", "T")
          .output("output", "T"),
      rank);
  auto typed = with_format(std::move(to_input), rank)
      .attr("T", is_flat ? real() : floating(), DType::float32);
  if (!is_flat) std::move(typed).attr("TInput", floating(), DType::float32);
  catalog.add(std::move(typed)
      .doc("The gradient of the pool: that of each window, added to its greatest element, the "
           "first of equal ones.")
      .infer_shape(like_pool(source, {1, 2}, /*is_pooled=*/false))
      .gradient(by_reverse(grad_grad)));
  auto to_output = with_windows(
      Op(grad_grad)
          .input("orig_input", "T")
          .input("orig_output", "T")
          .input("grad", "T")
          .output("output", "T"),
      rank);
  catalog.add(with_format(std::move(to_output), rank)
      .doc("The elements of `grad` where those of the pool's input are the greatest of a window.")
      .attr("T", real())
      .infer_shape(like_pool(source, {1}, /*is_pooled=*/true))
      .gradient(by_reverse(grad)));
}

void add_max_pool_v2(OpCatalog& catalog) {
  catalog.add(with_format(Op("MaxPoolV2"), 4)
      .doc("As MaxPool, with the windows' sizes and strides as inputs.")
      .input("input", "T")
      .input("ksize", DType::int32)
      .input("strides", DType::int32)
      .output("output", "T")
      .attr("T", pool_dtypes(), DType::float32)
      .attr("padding", AttrType::string)
      .infer_shape(pooled({.sizes_input = 1}))
      .gradient([](Gradient& g) {
        Values inputs{g.in(0), g.out(0), g.dy(), g.in(1), g.in(2)};
        g.to_input(0, g.op("MaxPoolGradV2", inputs, window_attrs(g)));
      }));
  for (const std::string name : {"MaxPoolGradV2", "MaxPoolGradGradV2"}) {
    auto is_first = name == "MaxPoolGradV2";
    auto infer = is_first ? like_pool({.sizes_input = 3}, {1, 2}, false)
                          : like_pool({.sizes_input = 3}, {1}, true);
    catalog.add(with_format(Op(name), 4)
        .doc(std::string("As ") + (is_first ? "MaxPoolGrad" : "MaxPoolGradGrad") +
             ", with the windows' sizes and strides as inputs.")
        .input("orig_input", "T")
        .input("orig_output", "T")
        .input("grad", "T")
        .input("ksize", DType::int32)
        .input("strides", DType::int32)
        .output("output", "T")
        .attr("T", real(), is_first ? std::optional(DType::float32) : std::nullopt)
        .attr("padding", AttrType::string)
        .infer_shape(infer)
        .gradient(by_reverse(is_first ? "MaxPoolGradGradV2" : "MaxPoolGradV2")));
  }
}

Op with_argmax(Op op) {
  return with_windows(std::move(op), 4)
      .attr("T", real())
      .attr("include_batch_in_index", false);
}

void add_max_pool_with_argmax(OpCatalog& catalog) {
  PoolSource source{.has_format = false, .may_span_channels = false};
  catalog.add(with_argmax(
      Op("MaxPoolWithArgmax").input("input", "T").output("output", "T").output("argmax", "Targmax"))
      .doc("As MaxPool, and where the greatest elements are: (y * width + x) * channels + channel, "
           "counted over all images with `include_batch_in_index`.")
      .attr("Targmax", indexing(), DType::int64)
      .infer_shape(pooled(source, 2))
      .gradient([](Gradient& g) {
        Values inputs{g.in(0), g.dy(), g.out(1)};
        g.to_input(0, g.op("MaxPoolGradWithArgmax", inputs, window_attrs(g)));
      }));
  for (const std::string name : {"MaxPoolGradWithArgmax", "MaxPoolGradGradWithArgmax"}) {
    auto is_first = name == "MaxPoolGradWithArgmax";
    auto reverse = is_first ? "MaxPoolGradGradWithArgmax" : "MaxPoolGradWithArgmax";
    catalog.add(with_argmax(Op(name)
        .input("input", "T")
        .input("grad", "T")
        .input("argmax", "Targmax")
        .output("output", "T"))
        .doc(is_first ? "The gradient of MaxPoolWithArgmax: that of each window, added to its "
                        "greatest element."
                      : "The elements of `grad` that were the greatest of a window.")
        .attr("Targmax", indexing())
        .infer_shape(
            is_first ? like_pool(source, {1, 2}, false) : like_pool(source, {2}, true))
        .gradient([reverse](Gradient& g) {
          if (g.wants(0)) g.to_input(0, g.zeros_like(g.in(0)));
          Values inputs{g.in(0), g.dy(), g.in(2)};
          if (g.wants(1)) g.to_input(1, g.op(reverse, inputs, window_attrs(g)));
        }));
  }
}

Status infer_average_gradient(ShapeInference& s, const PoolSource& source) {
  auto shape = s.input_as_shape(0);
  if (!shape) return shape.status();
  if (shape->has_rank() && shape->rank() != source.rank)
    return invalid_argument(
        "'orig_input_shape' must have rank " + std::to_string(source.rank) + ", but is " +
        shape->to_string());
  s.set(0, shape->has_rank() ? *shape : Shape::of_rank(source.rank));
  if (auto status = s.need_rank(1, source.rank); !status.ok()) return status;
  return pool_windows(s, source).status();
}

void add_average_pool(OpCatalog& catalog, const std::string& name, int rank) {
  PoolSource source{.rank = rank, .may_span_channels = false};
  auto grad = name + "Grad";
  auto input = rank == 4 ? "value" : "input";
  auto pool = with_windows(Op(name).input(input, "T").output("output", "T"), rank);
  catalog.add(with_format(std::move(pool), rank)
      .doc("The mean of each window, by channel; without padding.")
      .attr("T", floating())
      .infer_shape(pooled(source))
      .gradient([grad](Gradient& g) {
        g.to_input(0, g.op(grad, {g.shape_of(g.in(0)), g.dy()}, window_attrs(g)));
      }));
  auto to_input = with_windows(
      Op(grad).input("orig_input_shape", DType::int32).input("grad", "T").output("output", "T"),
      rank);
  catalog.add(with_format(std::move(to_input), rank)
      .doc("The gradient of the pool: that of each window, spread evenly over its elements.")
      .attr("T", floating())
      .infer_shape([source](ShapeInference& s) { return infer_average_gradient(s, source); })
      .gradient([name](Gradient& g) { g.to_input(1, g.op(name, {g.dy()}, window_attrs(g))); }));
}

}  // namespace

void add_pooling_ops(OpCatalog& catalog) {
  add_max_pool(catalog, "MaxPool", 4);
  add_max_pool(catalog, "MaxPool3D", 5);
  add_max_pool_v2(catalog);
  add_max_pool_with_argmax(catalog);
  add_average_pool(catalog, "AvgPool", 4);
  add_average_pool(catalog, "AvgPool3D", 5);
}

}  // namespace troupe
