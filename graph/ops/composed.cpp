#include "troupe/graph/ops/composed.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "troupe/graph/build/gradients.hpp"

namespace troupe {
namespace {

template <class T>
const T& attr_of(const Attrs& attrs, const char* name) {
  auto* value = attrs.at(name).get<T>();
  CHECK(value != nullptr);
  return *value;
}

Attrs chosen(const Attrs& attrs, std::initializer_list<const char*> names) {
  Attrs some;
  for (const auto* name : names) some[name] = attrs.at(name);
  return some;
}

Values add_bias(const Builder& b, const Values& in, const Attrs&) {
  return {b.op("BiasAdd", {in[0], in[1]})};
}

Composition transform(const std::string& op) {
  return [op](const Builder& b, const Values& in, const Attrs&) -> Values {
    return {b.op(op, {in[0]})};
  };
}

Values multiply_sparse(const Builder& b, const Values& in, const Attrs& attrs) {
  auto x = b.cast(in[0], DType::float32), y = b.cast(in[1], DType::float32);
  return {b.op("MatMul", {x, y}, chosen(attrs, {"transpose_a", "transpose_b"}))};
}

Values convolve_padded(
    const Builder& b, const Value& images, const Value& paddings, const Value& filter,
    const Attrs& attrs) {
  auto padded = b.op("MirrorPad", {images, paddings}, chosen(attrs, {"mode"}));
  return {b.op("Conv2D", {padded, filter}, chosen(attrs, {"strides", "padding"}))};
}

Values convolve_resized(const Builder& b, const Values& in, const Attrs& attrs) {
  auto resized = b.op(
      "ResizeBilinear", {in[0], in[1]}, {{"align_corners", attrs.at("resize_align_corners")}});
  return convolve_padded(b, b.cast(resized, in[0].dtype()), in[2], in[3], attrs);
}

Composition volume_backprop(const char* op, size_t shaped) {
  return [op, shaped](const Builder& b, const Values& in, const Attrs& attrs) -> Values {
    auto inputs = in;
    inputs[shaped] = b.op("Shape", {in[shaped]});
    return {b.op(op, inputs, chosen(attrs, {"strides", "padding", "dilations"}))};
  };
}

/// 1 / sqrt(v + variance_epsilon).
Value inverse_deviation(const Builder& b, const Value& v, const Attrs& attrs) {
  return b.op("Rsqrt", {b.add(v, b.like(v, attr_of<float>(attrs, "variance_epsilon")))});
}

/// The vector, which must have the shape of another one.
Value shaped_as(const Builder& b, const Value& vector, const Value& other) {
  return b.op("AddN", {vector, b.zeros_like(other)});
}

/// The images less a vector of the channels.
Value less(const Builder& b, const Value& images, const Value& vector) {
  return b.op("BiasAdd", {images, b.neg(vector)});
}

Values normalize(const Builder& b, const Values& in, const Attrs& attrs) {
  const auto &t = in[0], &m = in[1];
  auto scale = inverse_deviation(b, shaped_as(b, in[2], m), attrs);
  auto gamma = shaped_as(b, in[4], m);
  if (attr_of<bool>(attrs, "scale_after_normalization")) scale = b.mul(scale, gamma);
  return {b.op("BiasAdd", {b.mul(less(b, t, m), scale), in[3]})};
}

Values normalize_backwards(const Builder& b, const Values& in, const Attrs& attrs) {
  const auto &t = in[0], &m = in[1], &dy = in[4];
  auto v = shaped_as(b, in[2], m), gamma = shaped_as(b, in[3], m);
  auto scales = attr_of<bool>(attrs, "scale_after_normalization");
  auto inverse = inverse_deviation(b, v, attrs);
  auto factor = scales ? b.mul(inverse, gamma) : inverse;
  auto db = b.op("BiasAddGrad", {dy});
  auto shares = b.op("BiasAddGrad", {b.mul(dy, less(b, t, m))});
  auto epsilon = b.like(v, attr_of<float>(attrs, "variance_epsilon"));
  auto slope = b.div(b.mul(inverse, b.like(v, -0.5)), b.add(v, epsilon));
  auto dv = b.mul(shares, scales ? b.mul(slope, gamma) : slope);
  auto dg = scales ? b.mul(shares, inverse) : b.zeros_like(gamma);
  return {b.mul(dy, factor), b.mul(b.neg(db), factor), dv, db, dg};
}

Values adjust_contrast(const Builder& b, const Values& in, const Attrs&) {
  auto images = b.cast(in[0], DType::float32);
  auto means = b.reduce_mean(images, {-3, -2}, /*keep_dims=*/true);
  auto adjusted = b.add(b.mul(b.sub(images, means), in[1]), means);
  return {b.op("Maximum", {b.op("Minimum", {adjusted, in[3]}), in[2]})};
}

std::map<std::string, Composition, std::less<>> all_compositions() {
  std::map<std::string, Composition, std::less<>> all{
      {"BiasAddV1", add_bias},
      {"SparseMatMul", multiply_sparse},
      {"FusedPadConv2D",
       [](const Builder& b, const Values& in, const Attrs& attrs) {
         return convolve_padded(b, in[0], in[1], in[2], attrs);
       }},
      {"FusedResizeAndPadConv2D", convolve_resized},
      {"Conv3DBackpropInput", volume_backprop("Conv3DBackpropInputV2", 0)},
      {"Conv3DBackpropFilter", volume_backprop("Conv3DBackpropFilterV2", 1)},
      {"BatchNormWithGlobalNormalization", normalize},
      {"BatchNormWithGlobalNormalizationGrad", normalize_backwards},
      {"AdjustContrast", adjust_contrast}};
  for (const std::string name : {"FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D"})
    all.emplace("Batch" + name, transform(name));
  return all;
}

/// As the ops infer that it is composed of.
Status infer_composed(ShapeInference& s, std::string_view op, const Attrs& attrs) {
  Builder b;
  Values inputs;
  for (int i = 0; i < s.input_count(); ++i)
    inputs.push_back(
        s.constant(i) ? b.constant(*s.constant(i)) : b.placeholder(s.input_dtype(i), s.input(i)));
  auto outputs = (*composition_of(op))(b, inputs, attrs);
  if (auto status = b.status(); !status.ok()) return Status(status.code(), status.message());
  for (size_t i = 0; i < outputs.size(); ++i) s.set(static_cast<int>(i), outputs[i].shape());
  return {};
}

}  // namespace

const Composition* composition_of(std::string_view op) {
  static const auto all = all_compositions();
  auto found = all.find(op);
  return found == all.end() ? nullptr : &found->second;
}

namespace {

using Names = std::vector<std::string>;

/// The attributes of a composition, as a shape function sees them.
struct ComposedAttrs {
  Names texts = {}, flags = {}, lists = {}, numbers = {};

  Attrs of(const ShapeInference& s) const {
    Attrs attrs;
    for (const auto& name : texts) attrs[name] = s.attr<std::string>(name);
    for (const auto& name : flags) attrs[name] = s.attr<bool>(name);
    for (const auto& name : lists) attrs[name] = s.attr<std::vector<int64_t>>(name);
    for (const auto& name : numbers) attrs[name] = s.attr<float>(name);
    return attrs;
  }
};

/// With the shape function of its composition.
Op composed(Op op, ComposedAttrs attrs) {
  auto name = op.name();
  return std::move(op).infer_shape(
      [name, attrs](ShapeInference& s) { return infer_composed(s, name, attrs.of(s)); });
}

const DTypes& halves_to_doubles() {
  static const DTypes dtypes{DType::float16, DType::float32, DType::float64};
  return dtypes;
}

void add_older_forms(OpCatalog& catalog) {
  catalog.add(composed(
      Op("BiasAddV1")
          .doc("The value plus a bias for each element of the last axis.")
          .input("value", "T")
          .input("bias", "T")
          .output("output", "T")
          .attr("T", numeric())
          .gradient([](Gradient& g) {
            g.to_input(0, g.dy());
            if (g.wants(1)) g.to_input(1, g.op("BiasAddGrad", {g.dy()}));
          }),
      {}));
  for (const std::string name : {"FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D"})
    catalog.add(composed(
        Op("Batch" + name)
            .doc("As " + name + ", of complex64.")
            .input("input", DType::complex64)
            .output("output", DType::complex64),
        {}));
  for (auto [op, doc] :
       {std::pair(
            "Conv3DBackpropInput",
            "The gradient of Conv3D with respect to `input`, of which only the shape matters."),
        std::pair(
            "Conv3DBackpropFilter",
            "The gradient of Conv3D with respect to `filter`, of which only the shape matters.")})
    catalog.add(composed(
        Op(op)
            .doc(doc)
            .input("input", "T")
            .input("filter", "T")
            .input("out_backprop", "T")
            .output("output", "T")
            .attr("T", halves_to_doubles())
            .attr("strides", AttrType::integers)
            .attr("padding", AttrType::string)
            .attr("dilations", std::vector<int64_t>(5, 1)),
        {.texts = {"padding"}, .lists = {"strides", "dilations"}}));
  catalog.add(composed(
      Op("AdjustContrast")
          .doc("Images [..., height, width, channels] whose distance from their channel's mean is "
               "`contrast_factor` times as much, then cut to lie between two values.")
          .input("images", "T")
          .input("contrast_factor", DType::float32)
          .input("min_value", DType::float32)
          .input("max_value", DType::float32)
          .output("output", DType::float32)
          .attr(
              "T", {DType::uint8, DType::int8, DType::int16, DType::int32, DType::int64,
                    DType::float32, DType::float64}),
      {}));
}

/// The products of dy with the other factor, as TensorFlow transposes them.
void sparse_product_gradient(Gradient& g) {
  auto transpose_a = g.node().attr<bool>("transpose_a");
  auto transpose_b = g.node().attr<bool>("transpose_b");
  auto multiply = [&](const Value& x, const Value& y, bool turn_x, bool turn_y) {
    return g.op("SparseMatMul", {x, y}, {{"transpose_a", turn_x}, {"transpose_b", turn_y}});
  };
  auto dy = g.dy();
  if (g.wants(0)) {
    auto da = transpose_a ? multiply(g.in(1), dy, transpose_b, true)
                          : multiply(dy, g.in(1), false, !transpose_b);
    g.to_input(0, g.cast(da, g.in(0).dtype()));
  }
  if (g.wants(1)) {
    auto db = transpose_b ? multiply(dy, g.in(0), true, transpose_a)
                          : multiply(g.in(0), dy, !transpose_a, false);
    g.to_input(1, g.cast(db, g.in(1).dtype()));
  }
}

void add_products(OpCatalog& catalog) {
  const DTypes floats{DType::float32, DType::bfloat16};
  catalog.add(composed(
      Op("SparseMatMul")
          .doc("The product of two matrices in float32, each transposed first if its attribute "
               "says so. The attributes that say that one has many zeros do not change it.")
          .input("a", "Ta")
          .input("b", "Tb")
          .output("product", DType::float32)
          .attr("transpose_a", false)
          .attr("transpose_b", false)
          .attr("a_is_sparse", false)
          .attr("b_is_sparse", false)
          .attr("Ta", floats, DType::float32)
          .attr("Tb", floats, DType::float32)
          .gradient(sparse_product_gradient),
      {.flags = {"transpose_a", "transpose_b"}}));
}

Op padded_convolution(Op op) {
  return std::move(op)
      .input("paddings", DType::int32)
      .input("filter", "T")
      .output("output", "T")
      .attr("T", halves_to_doubles())
      .attr("mode", AttrType::string)
      .attr("strides", AttrType::integers)
      .attr("padding", AttrType::string);
}

void add_fusions(OpCatalog& catalog) {
  catalog.add(composed(
      padded_convolution(Op("FusedPadConv2D").input("input", "T"))
          .doc("Conv2D of what MirrorPad makes of the images."),
      {.texts = {"mode", "padding"}, .lists = {"strides"}}));
  catalog.add(composed(
      padded_convolution(
          Op("FusedResizeAndPadConv2D").input("input", "T").input("size", DType::int32))
          .doc("Conv2D of what ResizeBilinear and then MirrorPad make of the images.")
          .attr("resize_align_corners", false),
      {.texts = {"mode", "padding"}, .flags = {"resize_align_corners"}, .lists = {"strides"}}));
}

Op normalization(Op op) {
  return std::move(op)
      .attr("T", numeric())
      .attr("variance_epsilon", AttrType::real)
      .attr("scale_after_normalization", AttrType::boolean);
}

void add_normalizations(OpCatalog& catalog) {
  const ComposedAttrs attrs{
      .flags = {"scale_after_normalization"}, .numbers = {"variance_epsilon"}};
  const std::string gradient = "BatchNormWithGlobalNormalizationGrad";
  catalog.add(composed(
      normalization(Op("BatchNormWithGlobalNormalization")
                        .doc("Images t less the mean m, over the root of the variance v, times "
                             "gamma if it is to be scaled, plus beta: vectors of the channels.")
                        .input("t", "T")
                        .input("m", "T")
                        .input("v", "T")
                        .input("beta", "T")
                        .input("gamma", "T")
                        .output("result", "T"))
          .gradient([gradient](Gradient& g) {
            auto node_attrs = g.node().attrs;
            node_attrs.erase("T");
            auto all = g.op(gradient, {g.in(0), g.in(1), g.in(2), g.in(4), g.dy()}, node_attrs);
            for (int i = 0; i < 5; ++i)
              if (g.wants(i)) g.to_input(i, all.output(i));
          }),
      attrs));
  catalog.add(composed(
      normalization(Op(gradient)
                        .doc("The gradients of BatchNormWithGlobalNormalization.")
                        .input("t", "T")
                        .input("m", "T")
                        .input("v", "T")
                        .input("gamma", "T")
                        .input("backprop", "T")
                        .output("dx", "T")
                        .output("dm", "T")
                        .output("dv", "T")
                        .output("db", "T")
                        .output("dg", "T")),
      attrs));
}

}  // namespace

void add_composed_ops(OpCatalog& catalog) {
  add_older_forms(catalog);
  add_products(catalog);
  add_fusions(catalog);
  add_normalizations(catalog);
}

}  // namespace troupe
