#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// What is added to a tensor along one axis.
struct AxisPadding {
  int64_t size;  // of the axis without it, or unknown
  int64_t before, after;
};
using CheckAxis = std::function<Status(const AxisPadding&)>;

/// The size with padding; without it where `sign` is -1.
Result<int64_t> pad_axis(AxisPadding axis, int64_t sign, const CheckAxis& check) {
  for (auto padding : {axis.before, axis.after})
    if (padding < 0 || padding > Shape::max_elements)
      return invalid_argument(
          "'paddings' must lie in [0, 2^48], but one is " + std::to_string(padding));
  auto given = axis.size;
  if (given == Shape::unknown) return Shape::unknown;
  auto result = given + sign * (axis.before + axis.after);
  if (result < 0)
    return invalid_argument(
        "an axis of size " + std::to_string(given) + " cannot have " + std::to_string(axis.before) +
        " and " + std::to_string(axis.after) + " elements of padding");
  axis.size = std::min(given, result);
  auto status = check(axis);
  if (!status.ok()) return status;
  return result;
}

/// Output 0 has the shape of input 0 with the paddings in input 1 added, or with sign -1 taken off.
Status infer_padded(ShapeInference& s, int64_t sign, const CheckAxis& check) {
  const auto &x = s.input(0), &paddings = s.input(1);
  if (auto status = s.need_rank(1, 2); !status.ok()) return status;
  auto rank = x.has_rank() ? x.rank() : paddings.has_rank() ? paddings[0] : Shape::unknown;
  if (!paddings.is_compatible_with({rank, 2}) || rank > Shape::max_rank)
    return invalid_argument(
        "'paddings' must have the shape [" + std::to_string(rank) + ",2], but have " +
        paddings.to_string());
  if (rank < 0) return {};
  std::vector<int64_t> sizes(static_cast<size_t>(rank), Shape::unknown);
  auto counts = s.constant_ints(1);
  for (size_t axis = 0; counts && axis < sizes.size(); ++axis) {
    auto size = x.has_rank() ? x[static_cast<int>(axis)] : Shape::unknown;
    auto padded = pad_axis({size, (*counts)[2 * axis], (*counts)[2 * axis + 1]}, sign, check);
    if (!padded) return padded.status();
    sizes[axis] = *padded;
  }
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_pad_v2(ShapeInference& s) {
  if (auto status = s.need_rank(2, 0); !status.ok()) return status;
  return infer_padded(s, 1, [](const AxisPadding&) { return Status(); });
}

/// `sign`: 1 for the mirrored tensor, -1 for the way back.
Op::InferShape infer_mirrored(int64_t sign) {
  return [sign](ShapeInference& s) {
    const auto& mode = s.attr<std::string>("mode");
    if (mode != "REFLECT" && mode != "SYMMETRIC")
      return invalid_argument(
          "attribute 'mode' must be \"REFLECT\" or \"SYMMETRIC\", but is \"" + mode + "\"");
    return infer_padded(s, sign, [&](const AxisPadding& axis) {
      auto most = axis.size - (mode == "REFLECT" ? 1 : 0);
      if (std::max(axis.before, axis.after) <= std::max<int64_t>(most, 0)) return Status();
      return invalid_argument(
          "an axis of size " + std::to_string(axis.size) + " mirrors at most " +
          std::to_string(std::max<int64_t>(most, 0)) + " elements, but the paddings are " +
          std::to_string(axis.before) + " and " + std::to_string(axis.after));
    });
  };
}

/// The slice of dy where the input lies. As in TensorFlow, the padded value has no gradient.
void pad_v2_gradient(Gradient& g) {
  auto paddings = g.cast(g.in(1), DType::int32);
  auto before = g.op("Slice", {paddings, g.ints({0, 0}), g.ints({-1, 1})});
  auto begin = g.reshape(before, g.ints({-1}));
  g.to_input(0, g.op("Slice", {g.dy(), begin, g.shape_of(g.in(0))}));
}

Op::MakeGradient mirror_gradient(const char* op) {
  return [op](Gradient& g) {
    Attrs attrs = {{"mode", g.node().attr<std::string>("mode")}};
    g.to_input(0, g.op(op, {g.dy(), g.in(1)}, attrs));
  };
}

void add_pads(OpCatalog& catalog) {
  catalog.add(Op("PadV2")
      .doc("The tensor with `constant_values`, a scalar, around it: along axis i, paddings[i, 0] "
           "of them before and paddings[i, 1] after it.")
      .input("input", "T")
      .input("paddings", "Tpaddings")
      .input("constant_values", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tpaddings", indexing(), DType::int32)
      .infer_shape(infer_pad_v2)
      .gradient(pad_v2_gradient));
  catalog.add(Op("MirrorPad")
      .doc("The tensor continued by its own mirror image: along axis i by paddings[i, 0] elements "
           "before and paddings[i, 1] after it. The elements at the ends are repeated where the "
           "mode is SYMMETRIC, and not where it is REFLECT.")
      .input("input", "T")
      .input("paddings", "Tpaddings")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tpaddings", indexing(), DType::int32)
      .attr("mode", AttrType::string)
      .infer_shape(infer_mirrored(1))
      .gradient(mirror_gradient("MirrorPadGrad")));
  catalog.add(Op("MirrorPadGrad")
      .doc("The sums of all elements of a MirrorPad result that mirror the same element.")
      .input("input", "T")
      .input("paddings", "Tpaddings")
      .output("output", "T")
      .attr("T", numeric())
      .attr("Tpaddings", indexing(), DType::int32)
      .attr("mode", AttrType::string)
      .infer_shape(infer_mirrored(-1))
      .gradient(mirror_gradient("MirrorPad")));
}

/// The rank that input 0 and the multiples in input 1 say, or unknown.
Result<int64_t> tiled_rank(ShapeInference& s) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  const auto &x = s.input(0), &multiples = s.input(1);
  auto rank = x.has_rank()           ? int64_t{x.rank()}
              : multiples.has_rank() ? multiples[0]
                                     : Shape::unknown;
  if (rank > Shape::max_rank || !multiples.is_compatible_with({rank}))
    return invalid_argument(
        "'multiples' must have an entry for each axis of " + x.to_string() + ", but have shape " +
        multiples.to_string());
  return rank;
}

/// Output 0 has the sizes that `resize` makes of the input's; multiples are at least `least`.
Status infer_tiled(
    ShapeInference& s, int64_t least,
    const std::function<Result<int64_t>(int64_t size, int64_t multiple)>& resize) {
  auto rank = tiled_rank(s);
  if (!rank) return rank.status();
  if (*rank < 0) return {};
  std::vector<int64_t> sizes(static_cast<size_t>(*rank), Shape::unknown);
  // Of empty tensors there may be more copies than a tensor has elements.
  auto multiples = s.constant_ints(1);
  auto is_constant = multiples.has_value();
  if (!is_constant) {
    auto shape = s.input_as_shape(1);
    if (!shape) return shape.status();
    if (shape->has_rank()) multiples.emplace(shape->sizes().begin(), shape->sizes().end());
  }
  for (size_t axis = 0; multiples && axis < sizes.size(); ++axis) {
    auto multiple = (*multiples)[axis];
    if (!is_constant && multiple == Shape::unknown) continue;
    if (multiple < least || multiple > Shape::max_elements)
      return invalid_argument(
          "'multiples' must lie in [" + std::to_string(least) + ", 2^48], but one is " +
          std::to_string(multiple));
    auto size = s.input(0).has_rank() ? s.input(0)[static_cast<int>(axis)] : Shape::unknown;
    if (size == Shape::unknown) continue;
    auto resized = resize(size, multiple);
    if (!resized) return resized.status();
    sizes[axis] = *resized;
  }
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_tile(ShapeInference& s) {
  return infer_tiled(s, 0, [](int64_t size, int64_t multiple) -> Result<int64_t> {
    int64_t product;
    if (__builtin_mul_overflow(size, multiple, &product))
      return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
    return product;
  });
}

Status infer_tile_grad(ShapeInference& s) {
  return infer_tiled(s, 1, [](int64_t size, int64_t multiple) -> Result<int64_t> {
    if (size % multiple == 0) return size / multiple;
    return invalid_argument(
        "an axis of size " + std::to_string(size) + " cannot be " + std::to_string(multiple) +
        " copies of one");
  });
}

/// The sum over all copies. Where there may be none, the sum has size 0 and the result zeros.
void tile_gradient(Gradient& g) {
  auto multiples = g.cast(g.in(1), DType::int32);
  auto known = g.constant_ints(1);
  if (known && !std::ranges::count(*known, 0))
    return g.to_input(0, g.op("TileGrad", {g.dy(), multiples}));
  auto sum = g.op("TileGrad", {g.dy(), g.op("Maximum", {multiples, g.constant<int32_t>(1)})});
  auto missing = g.shape_of(g.in(0)) - g.shape_of(sum);
  auto paddings = g.op("Pack", {g.zeros_like(missing), missing}, {{"axis", 1}});
  g.to_input(0, g.op("Pad", {sum, paddings}));
}

void add_tiles(OpCatalog& catalog) {
  catalog.add(Op("Tile")
      .doc("The tensor multiples[i] times one after the other along each axis i.")
      .input("input", "T")
      .input("multiples", "Tmultiples")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tmultiples", indexing(), DType::int32)
      .infer_shape(infer_tile)
      .gradient(tile_gradient));
  catalog.add(Op("TileGrad")
      .doc("The sum of the multiples[i] parts, one after the other, of each axis i: the gradient "
           "of Tile, for multiples of at least 1.")
      .input("input", "T")
      .input("multiples", DType::int32)
      .output("output", "T")
      .attr("T", numeric())
      .infer_shape(infer_tile_grad)
      .gradient([](Gradient& g) { g.to_input(0, g.op("Tile", {g.dy(), g.in(1)})); }));
}

}  // namespace

void add_padding_ops(OpCatalog& catalog) {
  add_pads(catalog);
  add_tiles(catalog);
}

}  // namespace troupe
