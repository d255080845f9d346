#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Axes counted from 0, in order, each of them once. Fails where one does not exist.
Result<std::vector<int>> sorted_axes(const std::vector<int64_t>& given, int rank) {
  std::vector<int> axes;
  for (auto number : given) {
    auto axis = find_axis(number, rank);
    if (!axis) return axis.status();
    if (!std::ranges::count(axes, *axis)) axes.push_back(*axis);
  }
  std::ranges::sort(axes);
  return axes;
}

Status infer_reduction(ShapeInference& s) {
  const auto& x = s.input(0);
  const auto& indices = s.input(1);
  if (indices.rank() > 1)
    return invalid_argument(
        "the axes must be a vector or scalar, not of shape " + indices.to_string());
  if (!x.has_rank()) return {};
  auto keep_dims = s.attr<bool>("keep_dims");
  auto given = s.constant_ints(1);
  if (!given) {
    if (keep_dims) s.set(0, Shape::of_rank(x.rank()));
    return {};
  }
  auto axes = sorted_axes(*given, x.rank());
  if (!axes) return axes.status();
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    auto is_reduced = std::ranges::count(*axes, axis) > 0;
    if (is_reduced && keep_dims) sizes.push_back(1);
    if (!is_reduced) sizes.push_back(x[axis]);
  }
  s.set(0, Shape(std::span<const int64_t>(sizes)));
  return {};
}

/// The node's axes, if they are known before any step.
std::optional<std::vector<int>> known_axes(const Gradient& g) {
  auto given = g.constant_ints(1);
  if (!given || !g.in(0).shape().has_rank()) return std::nullopt;
  auto axes = sorted_axes(*given, g.in(0).shape().rank());
  return axes ? std::optional(*axes) : std::nullopt;
}

Value keep_dims(const Gradient& g, const char* op, const Value& x) {
  return g.op(op, {x, g.in(1)}, {{"keep_dims", true}});
}

/// `value`, of the output's shape, so that it broadcasts with the input.
Value expand_to_input(const Gradient& g, Value value) {
  if (g.node().attr<bool>("keep_dims")) return value;
  auto axes = known_axes(g);
  if (!axes) return g.reshape(value, g.shape_of(keep_dims(g, "Sum", g.in(0))));
  // Broadcasting adds leading axes by itself.
  auto are_leading = axes->empty() || axes->back() + 1 == static_cast<int>(axes->size());
  if (are_leading) return value;
  for (auto axis : *axes) value = g.op("ExpandDims", {value, g.constant<int32_t>(axis)});
  return value;
}

Value broadcast_to_input(const Gradient& g, const Value& value) {
  auto wide = expand_to_input(g, value);
  if (wide.shape().is_known() && wide.shape() == g.in(0).shape()) return wide;
  return g.op("BroadcastTo", {wide, g.shape_of(g.in(0))});
}

/// How many elements of the input went into each element of the output, in the dtype of dy.
Value reduced_count(const Gradient& g, const Value& dy) {
  const auto& x = g.in(0).shape();
  auto axes = known_axes(g);
  if (axes && std::ranges::none_of(*axes, [&](int axis) { return x[axis] == Shape::unknown; })) {
    double count = 1;
    for (auto axis : *axes) count *= static_cast<double>(x[axis]);
    return g.like(dy, std::max(1.0, count));
  }
  auto count = g.op("Size", {g.in(0)});
  const auto& y = g.out(0).shape();
  if (!y.is_known() || y.elements() != 1) {
    auto not_zero = g.op("Maximum", {g.op("Size", {g.out(0)}), g.constant<int32_t>(1)});
    count = g.op("Div", {count, not_zero});
  }
  return g.cast(count, dy.dtype());
}

/// Distributes dy to the elements that are the extreme, in equal shares if there are several.
void extreme_gradient(Gradient& g) {
  auto is_extreme = g.cast(g.equal(g.in(0), expand_to_input(g, g.out(0))), g.dy().dtype());
  auto share = expand_to_input(g, g.dy()) / keep_dims(g, "Sum", is_extreme);
  g.to_input(0, is_extreme * share);
}

/// Each element's part of the norm. Where that is 0 there is no derivative: NaN.
void norm_gradient(Gradient& g) {
  auto rate = expand_to_input(g, g.dy()) / expand_to_input(g, g.out(0));
  g.to_input(0, g.in(0) * rate);
}

/// An element's derivative is the product of all others: that of all elements but zeros, over the
/// element, or 0 if there is another zero.
void product_gradient(Gradient& g) {
  auto is_zero = g.cast(g.equal(g.in(0), g.like(g.in(0), 0)), g.in(0).dtype());
  auto other_zeros = keep_dims(g, "Sum", is_zero) - is_zero;
  auto without_zeros = g.in(0) + is_zero;
  auto others = keep_dims(g, "Prod", without_zeros) / without_zeros;
  auto counts = g.cast(g.equal(other_zeros, g.like(other_zeros, 0)), g.in(0).dtype());
  g.to_input(0, expand_to_input(g, g.dy()) * others * counts);
}

Op reduction(const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("input", "T")
      .input("reduction_indices", "Tidx")
      .output("output", "T")
      .attr("keep_dims", false)
      .attr("T", dtypes)
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_reduction)
      .gradient(std::move(gradient));
}

Op logical_reduction(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("input", DType::boolean)
      .input("reduction_indices", "Tidx")
      .output("output", DType::boolean)
      .attr("keep_dims", false)
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_reduction)
      .gradient(not_differentiable);
}

Status infer_arg_max(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  const auto& x = s.input(0);
  if (!x.has_rank()) return {};
  if (x.is_scalar()) return invalid_argument("input 0 must have at least rank 1, but is a scalar");
  auto given = s.constant_ints(1);
  if (!given) {
    s.set(0, Shape::of_rank(x.rank() - 1));
    return {};
  }
  auto axis = find_axis(given->front(), x.rank());
  if (!axis) return axis.status();
  if (x[*axis] == 0)
    return invalid_argument("axis " + std::to_string(*axis) + " of " + x.to_string() + " is empty");
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  sizes.erase(sizes.begin() + *axis);
  s.set(0, Shape(std::span<const int64_t>(sizes)));
  return {};
}

Op position(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("input", "T")
      .input("dimension", "Tidx")
      .output("output", "output_type")
      .attr("T", real())
      .attr("Tidx", indexing(), DType::int32)
      .attr("output_type", indexing(), DType::int64)
      .infer_shape(infer_arg_max)
      .gradient(not_differentiable);
}

}  // namespace

void add_reduction_ops(OpCatalog& catalog) {
  catalog.add(reduction("Sum", "The sum over the given axes.", numeric(), [](Gradient& g) {
    g.to_input(0, broadcast_to_input(g, g.dy()));
  }));
  catalog.add(reduction("Mean", "The mean over the given axes.", numeric(), [](Gradient& g) {
    g.to_input(0, broadcast_to_input(g, g.dy() / reduced_count(g, g.dy())));
  }));
  catalog.add(reduction("Max", "The greatest over the given axes.", real(), extreme_gradient));
  catalog.add(reduction("Min", "The least over the given axes.", real(), extreme_gradient));
  catalog.add(reduction("Prod", "The product over the given axes.", numeric(), product_gradient));
  catalog.add(logical_reduction("All", "True where all are, over the given axes."));
  catalog.add(logical_reduction("Any", "True where one is, over the given axes."));
  catalog.add(reduction(
      "EuclideanNorm", "The square root of the sum of the squares over the given axes; of integers "
      "rounded towards 0, and at most the greatest of their dtype.", numeric(), norm_gradient));
  catalog.add(position(
      "ArgMax",
      "The index of the greatest element along one axis, the first if there are several."));
  catalog.add(position(
      "ArgMin", "The index of the least element along one axis, the first if there are several."));
}

}  // namespace troupe
