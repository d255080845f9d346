#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/indexing/partition.hpp"

namespace troupe {
namespace {

/// The axes of `whole` after those of `prefix`, with which it must begin; without a rank where too
/// little is known.
Result<Shape> shape_after(const Shape& whole, const Shape& prefix) {
  if (!whole.has_rank() || !prefix.has_rank()) return Shape::unknown_rank();
  auto count = static_cast<size_t>(prefix.rank());
  auto fits = whole.rank() >= prefix.rank() &&
              Shape(whole.sizes().first(count)).is_compatible_with(prefix);
  if (fits) return Shape(whole.sizes().subspan(count));
  return invalid_argument(
      "the shape of the data, " + whole.to_string() + ", must begin with that of the indices, " +
      prefix.to_string());
}

/// That many slices of a shape.
Result<Shape> slices_of(int64_t count, const Shape& slice) {
  if (!slice.has_rank()) return Shape::unknown_rank();
  std::vector<int64_t> sizes = {count};
  sizes.insert(sizes.end(), slice.sizes().begin(), slice.sizes().end());
  return Shape::make(sizes);
}

Status infer_dynamic_partition(ShapeInference& s) {
  auto slice = shape_after(s.input(0), s.input(1));
  if (!slice) return slice.status();
  auto part = slices_of(Shape::unknown, *slice);
  if (!part) return part.status();
  for (size_t i = 0; i < s.outputs().size(); ++i) s.set(static_cast<int>(i), *part);
  auto chosen = s.constant_ints(1);
  if (!chosen || !part->has_rank()) return {};
  for (size_t i = 0; i < s.outputs().size(); ++i) {
    part->set(0, std::ranges::count(*chosen, static_cast<int64_t>(i)));
    s.set(static_cast<int>(i), *part);
  }
  return {};
}

/// Stitches the gradients of the parts together, in the order in which the data was.
void dynamic_partition_gradient(Gradient& g) {
  auto count = g.node().attr<int64_t>("num_partitions");
  auto zero = g.constant<int32_t>(0), one = g.constant<int32_t>(1);
  auto places = g.reshape(g.op("Range", {zero, g.op("Size", {g.in(1)}), one}), g.shape_of(g.in(1)));
  auto parts = g.op("DynamicPartition", {places, g.in(1)}, {{"num_partitions", count}});
  if (!parts.is_valid()) return;
  Values stitched;
  for (int i = 0; i < count; ++i) stitched.push_back(parts.output(i));
  for (int i = 0; i < count; ++i) stitched.push_back(g.dy(i));
  g.to_input(0, g.reshape_to_shape_of(0, g.op("DynamicStitch", stitched, {{"N", count}})));
}

/// How many slices there are for those indices: one more than the greatest.
std::optional<int64_t> stitched_count(const ShapeInference& s, int64_t parts) {
  int64_t count = 0;
  for (int i = 0; i < parts; ++i) {
    auto indices = s.constant_ints(i);
    if (!indices) return {};
    for (auto index : *indices) count = std::max(count, index + 1);
  }
  return count;
}

Status infer_dynamic_stitch(ShapeInference& s) {
  auto count = s.attr<int64_t>("N");
  auto slice = Shape::unknown_rank();
  for (int i = 0; i < count; ++i) {
    auto part = shape_after(s.input(static_cast<int>(count) + i), s.input(i));
    if (!part) return part.status();
    auto merged = slice.merge(*part);
    if (!merged)
      return invalid_argument(
          "the slices of data " + std::to_string(i) + " have the shape " + part->to_string() +
          ", but those before have " + slice.to_string());
    slice = *merged;
  }
  auto whole = slices_of(stitched_count(s, count).value_or(Shape::unknown), slice);
  if (whole) s.set(0, *whole);
  return whole.status();
}

void dynamic_stitch_gradient(Gradient& g) {
  auto count = static_cast<int>(g.node().attr<int64_t>("N"));
  for (int i = 0; i < count; ++i)
    if (g.wants(count + i))
      g.to_input(count + i, g.op("GatherV2", {g.dy(), g.in(i), g.constant<int32_t>(0)}));
}

void add_partitions(OpCatalog& catalog) {
  catalog.add(Op("DynamicPartition")
      .doc("The slices of `data`, one for each element of `partitions`, which says in which of the "
           "outputs it is: output i has the shape [n] + data.shape[rank(partitions):].")
      .input("data", "T")
      .input("partitions", DType::int32)
      .outputs("outputs", "T", "num_partitions")
      .attr("num_partitions", AttrType::integer)
      .attr_at_least("num_partitions", 1)
      .attr("T", all_dtypes())
      .infer_shape(infer_dynamic_partition)
      .gradient(dynamic_partition_gradient));
  for (auto name : {"DynamicStitch", "ParallelDynamicStitch"})
    catalog.add(Op(name)
        .doc("The slices of all of `data`, each at the place along the first axis that the element "
             "of `indices` says. Of several slices for one place the last one stays; places that "
             "no index names hold zeros.")
        .inputs("indices", DType::int32, "N")
        .inputs("data", "T", "N")
        .output("merged", "T")
        .attr("N", AttrType::integer)
        .attr_at_least("N", 1)
        .attr("T", all_dtypes())
        .infer_shape(infer_dynamic_stitch)
        .gradient(dynamic_stitch_gradient));
}

Status infer_list_diff(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
  for (int i : {0, 1}) s.set(i, {Shape::unknown});
  return {};
}

void add_lists(OpCatalog& catalog) {
  catalog.add(Op("InvertPermutation")
      .doc("For a vector with each of 0, 1, ... once, the place of each number: y[x[i]] = i.")
      .input("x", "T")
      .output("y", "T")
      .attr("T", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(0, 1); !status.ok()) return status;
        s.set(0, s.input(0).has_rank() ? s.input(0) : Shape::of_rank(1));
        return Status();
      })
      .gradient(not_differentiable));
  catalog.add(Op("ListDiff")
      .doc("The elements of the vector x that the vector y does not have, in their order, and the "
           "place of each in x.")
      .input("x", "T")
      .input("y", "T")
      .output("out", "T")
      .output("idx", "out_idx")
      .attr("T", all_dtypes())
      .attr("out_idx", indexing(), DType::int32)
      .infer_shape(infer_list_diff)
      .gradient(not_differentiable));
}

Status infer_roll(ShapeInference& s) {
  const auto &x = s.input(0), &shift = s.input(1), &axis = s.input(2);
  if (x.is_scalar()) return invalid_argument("a scalar cannot be rolled");
  for (int i : {1, 2})
    if (s.input(i).rank() > 1)
      return invalid_argument(
          "'shift' and 'axis' must be scalars or vectors, but input " + std::to_string(i) +
          " has the shape " + s.input(i).to_string());
  if (!shift.is_compatible_with(axis))
    return invalid_argument(
        "'shift' and 'axis' must have one shape, but have " + shift.to_string() + " and " +
        axis.to_string());
  auto axes = s.constant_ints(2);
  for (size_t i = 0; axes && x.has_rank() && i < axes->size(); ++i)
    if (auto found = find_axis((*axes)[i], x.rank()); !found) return found.status();
  s.set(0, x);
  return {};
}

Status infer_lin_space(ShapeInference& s) {
  for (int i : {0, 1, 2})
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  auto count = s.constant_ints(2);
  if (count && count->front() < 1)
    return invalid_argument("'num' must be positive, but is " + std::to_string(count->front()));
  auto shape = Shape::make(std::vector<int64_t>{count ? count->front() : Shape::unknown});
  if (shape) s.set(0, *shape);
  return shape.status();
}

void add_orders(OpCatalog& catalog) {
  catalog.add(Op("Roll")
      .doc("The elements moved along each of the axes by that many places, where those that leave "
           "at one end come in at the other. Shifts of an axis that is named twice add up.")
      .input("input", "T")
      .input("shift", "Tshift")
      .input("axis", "Taxis")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tshift", indexing())
      .attr("Taxis", indexing())
      .infer_shape(infer_roll)
      .gradient([](Gradient& g) {
        auto back = -g.cast(g.in(1), DType::int64);  // the least int32 has no opposite there
        g.to_input(0, g.op("Roll", {g.dy(), back, g.in(2)}));
      }));
  catalog.add(Op("LinSpace")
      .doc("The `num` numbers from `start` to `stop`, both among them, at even distances.")
      .input("start", "T")
      .input("stop", "T")
      .input("num", "Tidx")
      .output("output", "T")
      .attr("T", {DType::bfloat16, DType::float32, DType::float64})
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_lin_space)
      .gradient(not_differentiable));
}

}  // namespace

void add_partition_ops(OpCatalog& catalog) {
  add_partitions(catalog);
  add_lists(catalog);
  add_orders(catalog);
  add_search_ops(catalog);
}

}  // namespace troupe
