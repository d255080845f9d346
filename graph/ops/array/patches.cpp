#include <algorithm>
#include <string>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/array/space.hpp"

namespace troupe {
namespace {

/// An int for each axis of the images or volumes: 1 but for those of space, which are returned.
Result<std::vector<int64_t>> patch_sizes(ShapeInference& s, const char* name, size_t rank) {
  const auto& given = s.attr<std::vector<int64_t>>(name);
  auto is_fit = given.size() == rank && given.front() == 1 && given.back() == 1;
  for (size_t i = 0; is_fit && i < rank; ++i) is_fit = given[i] >= 1 && given[i] <= (1 << 30);
  if (is_fit) return std::vector(given.begin() + 1, given.end() - 1);
  return invalid_argument(
      "attribute '" + std::string(name) + "' must be [1, " + (rank == 5 ? "depth, " : "") +
      "height, width, 1], in [1, 2^30]");
}

struct PatchLine {
  int64_t patch, stride, rate;  // along an axis of space
};

Result<std::vector<PatchLine>> patch_lines(ShapeInference& s, size_t rank) {
  auto sizes = patch_sizes(s, "ksizes", rank), strides = patch_sizes(s, "strides", rank);
  for (const auto* each : {&sizes, &strides})
    if (!*each) return each->status();
  auto rates = Result(std::vector<int64_t>(sizes->size(), 1));
  if (rank == 4) rates = patch_sizes(s, "rates", rank);
  if (!rates) return rates.status();
  std::vector<PatchLine> lines;
  for (size_t i = 0; i < sizes->size(); ++i)
    lines.push_back({(*sizes)[i], (*strides)[i], (*rates)[i]});
  return lines;
}

/// Of [batch, the axes of space, depth], of that rank: of volumes, which have no rates, or images.
Status infer_patches(ShapeInference& s, int rank) {
  auto lines = patch_lines(s, static_cast<size_t>(rank));
  if (!lines) return lines.status();
  const auto& padding = s.attr<std::string>("padding");
  if (padding != "SAME" && padding != "VALID")
    return invalid_argument(
        "attribute 'padding' must be \"SAME\" or \"VALID\", but is \"" + padding + "\"");
  auto last = rank - 1;
  if (auto status = s.need_rank(0, rank); !status.ok()) return status;
  auto shape = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(rank);
  auto depth = std::max<int64_t>(shape[last], 1);
  auto overflows = false;
  for (int axis = 1; axis < last; ++axis) {
    const auto& line = (*lines)[static_cast<size_t>(axis) - 1];
    overflows = overflows || __builtin_mul_overflow(depth, line.patch, &depth);
    auto size = shape[axis];
    if (size == Shape::unknown) continue;
    auto reach = (line.patch - 1) * line.rate + 1;
    auto room = padding == "SAME" ? size - 1 : size - reach;
    if (padding == "VALID" && room < 0)
      return invalid_argument(
          "a patch that reaches over " + std::to_string(reach) +
          " elements does not lie in an axis of size " + std::to_string(size));
    shape.set(axis, room < 0 ? 0 : room / line.stride + 1);
  }
  if (overflows)
    return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
  if (shape[last] > 0) shape.set(last, depth);
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
  const auto& ksizes = g.node().attr<std::vector<int64_t>>("ksizes");
  auto last = static_cast<int>(ksizes.size()) - 1;
  auto batch = size_of(in_shape, 0), depth = size_of(in_shape, last), places = number(1);
  auto area = int64_t{1};
  Values image_sizes{number(1)}, moved_sizes, split{batch};
  std::vector<int32_t> inward, outward{last - 1};  // permutations that move the batch
  for (int axis = 1; axis < last; ++axis) {
    image_sizes.push_back(size_of(in_shape, axis));
    moved_sizes.push_back(image_sizes.back());
    split.push_back(size_of(out_shape, axis));
    places = places * image_sizes.back();
    area *= ksizes[static_cast<size_t>(axis)];
    inward.push_back(axis);
    outward.push_back(axis - 1);
  }
  image_sizes.push_back(number(1));
  auto numbers = g.op("Range", {number(1), places + number(1), number(1)});
  auto image = g.reshape(numbers, as_vector(image_sizes));
  auto attrs = g.node().attrs;
  attrs.erase("T");
  auto rows = g.reshape(g.op(g.node().op->name(), {image}, attrs), g.ints({-1}));
  auto count = g.op("Size", {rows});
  auto columns = g.op("Range", {number(0), count, number(1)});
  auto indices = g.cast(g.op("Pack", {rows, columns}, {{"axis", 1}}), DType::int64);
  auto ones = g.fill(as_vector({count}), g.like(g.dy(), 1));
  auto size = g.cast(as_vector({places + number(1), count}), DType::int64);
  // [batch, the counts of patches, area, depth] with the batch moved inward.
  split.insert(split.end(), {number(static_cast<int32_t>(area)), depth});
  inward.insert(inward.end(), {last, 0, last + 1});
  auto moved = g.op("Transpose", {g.reshape(g.dy(), as_vector(split)), g.ints(inward)});
  auto dense = g.reshape(moved, as_vector({count, batch * depth}));
  auto sums = g.op("SparseTensorDenseMatMul", {indices, ones, size, dense});
  auto places_only = g.op("Slice", {sums, g.ints({1, 0}), g.ints({-1, -1})});
  moved_sizes.insert(moved_sizes.end(), {batch, depth});
  outward.push_back(last);
  auto images = g.reshape(places_only, as_vector(moved_sizes));
  g.to_input(0, g.op("Transpose", {images, g.ints(outward)}));
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
      .infer_shape([](ShapeInference& s) { return infer_patches(s, 4); })
      .gradient(patches_gradient));
  catalog.add(Op("ExtractVolumePatches")
      .doc("The patches of ksizes elements that lie every `strides` in volumes of [batch, depth, "
           "height, width, channels], each one's elements side by side in the channels of the "
           "result. Padding SAME puts zeros around the volumes.")
      .input("input", "T")
      .output("patches", "T")
      .attr("ksizes", AttrType::integers)
      .attr_at_least("ksizes", 5)
      .attr("strides", AttrType::integers)
      .attr_at_least("strides", 5)
      .attr("T", real())
      .attr("padding", AttrType::string)
      .infer_shape([](ShapeInference& s) { return infer_patches(s, 5); })
      .gradient(patches_gradient));
}

}  // namespace troupe
