#include <array>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/array/space.hpp"

namespace troupe {
namespace {

/// An int for each axis of [batch, height, width, depth]: 1 but for height and width.
Result<std::array<int64_t, 2>> patch_sizes(ShapeInference& s, const char* name) {
  const auto& given = s.attr<std::vector<int64_t>>(name);
  auto is_fit = given.size() == 4 && given[0] == 1 && given[3] == 1;
  for (size_t i = 0; is_fit && i < 4; ++i) is_fit = given[i] >= 1 && given[i] <= (1 << 30);
  if (is_fit) return std::array<int64_t, 2>{given[1], given[2]};
  return invalid_argument(
      "attribute '" + std::string(name) + "' must be [1, height, width, 1], in [1, 2^30]");
}

Status infer_patches(ShapeInference& s) {
  auto sizes = patch_sizes(s, "ksizes"), strides = patch_sizes(s, "strides"),
       rates = patch_sizes(s, "rates");
  for (const auto* each : {&sizes, &strides, &rates})
    if (!*each) return each->status();
  const auto& padding = s.attr<std::string>("padding");
  if (padding != "SAME" && padding != "VALID")
    return invalid_argument(
        "attribute 'padding' must be \"SAME\" or \"VALID\", but is \"" + padding + "\"");
  if (auto status = s.need_rank(0, 4); !status.ok()) return status;
  auto shape = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(4);
  for (int i : {0, 1}) {
    auto at = static_cast<size_t>(i);
    auto size = shape[i + 1], stride = (*strides)[at];
    if (size == Shape::unknown) continue;
    auto reach = ((*sizes)[at] - 1) * (*rates)[at] + 1;
    auto room = padding == "SAME" ? size - 1 : size - reach;
    if (padding == "VALID" && room < 0)
      return invalid_argument(
          "a patch that reaches over " + std::to_string(reach) +
          " elements does not lie in an axis of size " + std::to_string(size));
    shape.set(i + 1, room < 0 ? 0 : room / stride + 1);
  }
  auto area = (*sizes)[0] * (*sizes)[1];
  int64_t depth;
  if (__builtin_mul_overflow(std::max<int64_t>(shape[3], 1), area, &depth))
    return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
  if (shape[3] > 0) shape.set(3, depth);
  s.set(0, shape);
  return Shape::make(shape.sizes()).status();
}

/// Sums the gradients of all patch elements that are the same element of an image. A sparse matrix
/// says which ones these are: it has a row for each place in an image, and row 0 for the padding.
void patches_gradient(Gradient& g) {
  auto number = [&](int32_t value) { return g.constant<int32_t>(value); };
  auto as_vector = [&](const Values& sizes) { return g.op("Pack", sizes, {{"axis", 0}}); };
  auto size_of = [&](const Value& sizes, int axis) {
    return g.reshape(g.op("Slice", {sizes, g.ints({axis}), g.ints({1})}), g.ints({}));
  };
  auto in_shape = g.shape_of(g.in(0)), out_shape = g.shape_of(g.dy());
  auto batch = size_of(in_shape, 0), height = size_of(in_shape, 1), width = size_of(in_shape, 2),
       depth = size_of(in_shape, 3);
  auto places = height * width;
  auto numbers = g.op("Range", {number(1), places + number(1), number(1)});
  Attrs attrs;
  for (auto name : {"ksizes", "strides", "rates"})
    attrs[name] = g.node().attr<std::vector<int64_t>>(name);
  attrs["padding"] = g.node().attr<std::string>("padding");
  auto image = g.reshape(numbers, as_vector({number(1), height, width, number(1)}));
  auto rows = g.reshape(g.op("ExtractImagePatches", {image}, attrs), g.ints({-1}));
  auto count = g.op("Size", {rows});
  auto columns = g.op("Range", {number(0), count, number(1)});
  auto indices = g.cast(g.op("Pack", {rows, columns}, {{"axis", 1}}), DType::int64);
  auto ones = g.fill(as_vector({count}), g.like(g.dy(), 1));
  auto size = g.cast(as_vector({places + number(1), count}), DType::int64);
  // [batch, rows of patches, columns of patches, area, depth] with the batch moved inward.
  const auto& ksizes = g.node().attr<std::vector<int64_t>>("ksizes");
  auto area = number(static_cast<int32_t>(ksizes[1] * ksizes[2]));
  auto split = g.reshape(
      g.dy(), as_vector({batch, size_of(out_shape, 1), size_of(out_shape, 2), area, depth}));
  auto moved = g.op("Transpose", {split, g.ints({1, 2, 3, 0, 4})});
  auto dense = g.reshape(moved, as_vector({count, batch * depth}));
  auto sums = g.op("SparseTensorDenseMatMul", {indices, ones, size, dense});
  auto places_only = g.op("Slice", {sums, g.ints({1, 0}), g.ints({-1, -1})});
  auto images = g.reshape(places_only, as_vector({height, width, batch, depth}));
  g.to_input(0, g.op("Transpose", {images, g.ints({2, 0, 1, 3})}));
}

}  // namespace

void add_patches_ops(OpCatalog& catalog) {
  catalog.add(Op("ExtractImagePatches")
      .doc("The patches of ksizes elements, `rates` apart from each other, that lie every "
           "`strides` in images of [batch, height, width, depth], each one's elements side by side "
           "in the depth of the result. Padding SAME puts zeros around the images.")
      .input("images", "T")
      .output("patches", "T")
      .attr("ksizes", AttrType::integers)
      .attr_at_least("ksizes", 4)
      .attr("strides", AttrType::integers)
      .attr_at_least("strides", 4)
      .attr("rates", AttrType::integers)
      .attr_at_least("rates", 4)
      .attr("T", all_plain())
      .attr("padding", AttrType::string)
      .infer_shape(infer_patches)
      .gradient(patches_gradient));
}

}  // namespace troupe
