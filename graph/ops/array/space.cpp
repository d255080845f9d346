#include "troupe/graph/ops/array/space.hpp"

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// One axis that is cut into blocks, or put together of them.
struct BlockAxis {
  int64_t size, block, before, after;
};

Result<int64_t> checked_product(int64_t x, int64_t y) {
  int64_t product;
  if (__builtin_mul_overflow(x, y, &product) || product > Shape::max_elements)
    return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
  return product;
}

Status check_entries(const BlockAxis& axis, const char* name) {
  if (axis.block < 1)
    return invalid_argument(
        "block sizes must be at least 1, but one is " + std::to_string(axis.block));
  for (auto entry : {axis.before, axis.after})
    if (entry < 0 || entry > Shape::max_elements)
      return invalid_argument(
          "'" + std::string(name) + "' must lie in [0, 2^48], but one is " + std::to_string(entry));
  return {};
}

/// How many blocks there are along an axis with its paddings.
Result<int64_t> count_blocks(const BlockAxis& axis) {
  if (axis.size == Shape::unknown) return Shape::unknown;
  auto padded = axis.before + axis.size + axis.after;
  if (padded % axis.block == 0) return padded / axis.block;
  return invalid_argument(
      "an axis of size " + std::to_string(padded) + " with its paddings cannot be cut into " +
      "blocks of size " + std::to_string(axis.block));
}

/// The size that so many blocks have, without what is cropped.
Result<int64_t> join_blocks(const BlockAxis& axis) {
  if (axis.size == Shape::unknown) return Shape::unknown;
  auto whole = checked_product(axis.size, axis.block);
  if (!whole) return whole;
  auto cropped = *whole - axis.before - axis.after;
  if (cropped >= 0) return cropped;
  return invalid_argument(
      "an axis of size " + std::to_string(*whole) + " cannot be cropped by " +
      std::to_string(axis.before) + " and " + std::to_string(axis.after));
}

/// The blocks that the inputs or the attribute describe; an unknown entry leaves all unknown.
struct Blocks {
  int axes;
  std::vector<int64_t> sizes;                    // empty: unknown
  std::optional<std::vector<int64_t>> paddings;  // [axes, 2]
};

Status infer_blocks(ShapeInference& s, const Blocks& blocks, bool is_to_batch) {
  const auto& x = s.input(0);
  if (!x.has_rank()) return {};
  if (x.rank() <= blocks.axes)
    return invalid_argument(
        "the tensor must have more than the " + std::to_string(blocks.axes) +
        " axes of blocks, but has shape " + x.to_string());
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  for (int i = 0; i <= blocks.axes; ++i) sizes[static_cast<size_t>(i)] = Shape::unknown;
  int64_t copies = 1;
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    const auto& p = blocks.paddings;
    BlockAxis axis = {
        .size = p ? x[static_cast<int>(i) + 1] : Shape::unknown,
        .block = blocks.sizes[i],
        .before = p ? (*p)[2 * i] : 0,
        .after = p ? (*p)[2 * i + 1] : 0};
    if (auto status = check_entries(axis, is_to_batch ? "paddings" : "crops"); !status.ok())
      return status;
    auto size = is_to_batch ? count_blocks(axis) : join_blocks(axis);
    if (!size) return size.status();
    sizes[i + 1] = *size;
    auto product = checked_product(copies, axis.block);
    if (!product) return product.status();
    copies = *product;
  }
  if (x[0] != Shape::unknown && blocks.sizes.size() == static_cast<size_t>(blocks.axes)) {
    auto batch = is_to_batch ? checked_product(x[0], copies) : Result<int64_t>(x[0] / copies);
    if (!batch) return batch.status();
    if (!is_to_batch && x[0] % copies != 0)
      return invalid_argument(
          "a batch of " + std::to_string(x[0]) + " cannot be blocks of " + std::to_string(copies));
    sizes[0] = *batch;
  }
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status need_paddings(ShapeInference& s, int index, int64_t axes, const char* name) {
  if (s.input(index).is_compatible_with({axes, 2})) return {};
  return invalid_argument(
      "'" + std::string(name) + "' must have the shape [" + std::to_string(axes) +
      ",2], but have " +
      s.input(index).to_string());
}

/// SpaceToBatch and BatchToSpace: two axes, blocks of the attribute's size.
Op::InferShape infer_square_blocks(bool is_to_batch) {
  return [is_to_batch](ShapeInference& s) {
    if (auto status = s.need_rank(0, 4); !status.ok()) return status;
    auto name = is_to_batch ? "paddings" : "crops";
    if (auto status = need_paddings(s, 1, 2, name); !status.ok()) return status;
    if (!s.input(0).has_rank()) {
      s.set(0, Shape::of_rank(4));
      return Status();
    }
    Blocks blocks = {
        .axes = 2,
        .sizes = std::vector<int64_t>(2, s.attr<int64_t>("block_size")),
        .paddings = s.constant_ints(1)};
    return infer_blocks(s, blocks, is_to_batch);
  };
}

Op::InferShape infer_nd_blocks(bool is_to_batch) {
  return [is_to_batch](ShapeInference& s) {
    if (auto status = s.need_rank(1, 1); !status.ok()) return status;
    if (auto status = s.need_rank(2, 2); !status.ok()) return status;
    auto axes = s.input(1).has_rank() ? s.input(1)[0] : Shape::unknown;
    if (axes == Shape::unknown && s.input(2).has_rank()) axes = s.input(2)[0];
    auto name = is_to_batch ? "paddings" : "crops";
    if (auto status = need_paddings(s, 2, axes, name); !status.ok()) return status;
    if (axes < 0) {
      if (s.input(0).has_rank()) s.set(0, Shape::of_rank(s.input(0).rank()));
      return Status();
    }
    if (axes >= Shape::max_rank)
      return invalid_argument(
          "a tensor has at most " + std::to_string(Shape::max_rank) + " axes, so " +
          std::to_string(axes) + " cannot have blocks");
    Blocks blocks = {
        .axes = static_cast<int>(axes),
        .sizes = s.constant_ints(1).value_or(std::vector<int64_t>()),
        .paddings = s.constant_ints(2)};
    return infer_blocks(s, blocks, is_to_batch);
  };
}

/// The op with the same blocks that leads back.
void square_gradient(Gradient& g, const char* op) {
  Attrs attrs = {{"block_size", g.node().attr<int64_t>("block_size")}};
  g.to_input(0, g.op(op, {g.dy(), g.in(1)}, attrs));
}

void add_square_blocks(OpCatalog& catalog) {
  catalog.add(Op("SpaceToBatch")
      .doc("Cuts the images of [batch, height, width, depth], padded with zeros, into squares of "
           "`block_size`, and makes an image of each position in them: images of position 0 come "
           "first in the batch.")
      .input("input", "T")
      .input("paddings", "Tpaddings")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tpaddings", indexing(), DType::int32)
      .attr("block_size", AttrType::integer)
      .attr_at_least("block_size", 2)
      .infer_shape(infer_square_blocks(true))
      .gradient([](Gradient& g) { square_gradient(g, "BatchToSpace"); }));
  catalog.add(Op("BatchToSpace")
      .doc("Puts the images that SpaceToBatch made of others together again, and crops them.")
      .input("input", "T")
      .input("crops", "Tidx")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("block_size", AttrType::integer)
      .attr_at_least("block_size", 2)
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_square_blocks(false))
      .gradient([](Gradient& g) { square_gradient(g, "SpaceToBatch"); }));
}

void add_nd_blocks(OpCatalog& catalog) {
  catalog.add(Op("SpaceToBatchND")
      .doc("Cuts the axes after the first, padded with zeros, into blocks of the sizes "
           "block_shape, and moves each position within a block to the batch, which is axis 0.")
      .input("input", "T")
      .input("block_shape", "Tblock_shape")
      .input("paddings", "Tpaddings")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tblock_shape", indexing(), DType::int32)
      .attr("Tpaddings", indexing(), DType::int32)
      .infer_shape(infer_nd_blocks(true))
      .gradient([](Gradient& g) {
        g.to_input(0, g.op("BatchToSpaceND", {g.dy(), g.in(1), g.in(2)}));
      }));
  catalog.add(Op("BatchToSpaceND")
      .doc("Puts what SpaceToBatchND moved to the batch back into the axes, and crops them.")
      .input("input", "T")
      .input("block_shape", "Tblock_shape")
      .input("crops", "Tcrops")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tblock_shape", indexing(), DType::int32)
      .attr("Tcrops", indexing(), DType::int32)
      .infer_shape(infer_nd_blocks(false))
      .gradient([](Gradient& g) {
        g.to_input(0, g.op("SpaceToBatchND", {g.dy(), g.in(1), g.in(2)}));
      }));
}

/// `is_to_depth`: height and width are divided by the block's size and the depth multiplied.
Op::InferShape infer_depth(bool is_to_depth) {
  return [is_to_depth](ShapeInference& s) {
    const auto& format = s.attr<std::string>("data_format");
    if (format == "NCHW_VECT_C") return unimplemented("data_format NCHW_VECT_C");
    if (auto status = s.need_rank(0, 4); !status.ok()) return status;
    auto shape = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(4);
    auto block = s.attr<int64_t>("block_size");
    auto area = checked_product(block, block);
    if (!area) return area.status();
    auto first = format == "NCHW" ? 2 : 1, depth = format == "NCHW" ? 1 : 3;
    for (int axis : {first, first + 1, depth}) {
      auto factor = axis == depth ? *area : block;
      if (shape[axis] == Shape::unknown) continue;
      if ((axis == depth) == is_to_depth) {
        auto size = checked_product(shape[axis], factor);
        if (!size) return size.status();
        shape.set(axis, *size);
        continue;
      }
      if (shape[axis] % factor != 0)
        return invalid_argument(
            "axis " + std::to_string(axis) + " of " + s.input(0).to_string() +
            " must be a multiple of " + std::to_string(factor));
      shape.set(axis, shape[axis] / factor);
    }
    s.set(0, shape);
    return Shape::make(shape.sizes()).status();
  };
}

Op depth_op(const char* name, const char* doc, bool is_to_depth, const char* way_back) {
  return Op(name)
      .doc(doc)
      .input("input", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("block_size", AttrType::integer)
      .attr_at_least("block_size", 2)
      .attr("data_format", "NHWC", {"NHWC", "NCHW", "NCHW_VECT_C"})
      .infer_shape(infer_depth(is_to_depth))
      .gradient([way_back](Gradient& g) {
        Attrs attrs = {
            {"block_size", g.node().attr<int64_t>("block_size")},
            {"data_format", g.node().attr<std::string>("data_format")}};
        g.to_input(0, g.op(way_back, {g.dy()}, attrs));
      });
}

}  // namespace

void add_space_ops(OpCatalog& catalog) {
  add_square_blocks(catalog);
  add_nd_blocks(catalog);
  catalog.add(depth_op(
      "SpaceToDepth",
      "Moves the positions within each square of `block_size` from height and width to the depth.",
      true, "DepthToSpace"));
  catalog.add(depth_op(
      "DepthToSpace", "Moves parts of the depth to squares of `block_size` in height and width.",
      false, "SpaceToDepth"));
  add_patches_ops(catalog);
}

}  // namespace troupe
