#include <algorithm>
#include <limits>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The number of batch dimensions, which params and indices have in common, from a number that may
/// be negative. Fails unless they are there, before the axis, and of the same sizes.
Result<int> batch_rank(
    int64_t given, const Shape& params, const Shape& indices, std::optional<int> axis) {
  auto batch = given < 0 ? given + indices.rank() : given;
  auto most = std::min(axis.value_or(params.rank()), indices.rank());
  if (batch < 0 || batch > most)
    return invalid_argument(
        "attribute 'batch_dims' is " + std::to_string(given) + ", but the indices have the shape " +
        indices.to_string() + " and there are " + std::to_string(most) + " dimensions before the "
        "axis and in the indices");
  for (int i = 0; i < batch; ++i)
    if (!Shape{params[i]}.is_compatible_with({indices[i]}))
      return invalid_argument(
          "params of shape " + params.to_string() + " and indices of shape " +
          indices.to_string() + " must agree in the first " + std::to_string(batch) +
          " dimensions");
  return static_cast<int>(batch);
}

/// The shape of params with the axis replaced by the indices' dimensions after the batch.
Result<Shape> gathered_shape(
    const Shape& params, const Shape& indices, std::optional<int> axis, int64_t given_batch) {
  if (!params.has_rank() || !indices.has_rank()) return Shape::unknown_rank();
  if (params.is_scalar()) return invalid_argument("nothing can be gathered from a scalar");
  auto batch = batch_rank(given_batch, params, indices, axis);
  if (!batch) return batch.status();
  if (!axis) {
    std::vector<int64_t> unknown(
        static_cast<size_t>(params.rank() + indices.rank() - *batch - 1), Shape::unknown);
    return Shape::make(unknown);
  }
  std::vector<int64_t> sizes(params.sizes().begin(), params.sizes().end());
  auto place = sizes.erase(sizes.begin() + *axis);
  sizes.insert(place, indices.sizes().begin() + *batch, indices.sizes().end());
  return Shape::make(sizes);
}

Status infer_gather(ShapeInference& s) {
  auto shape = gathered_shape(s.input(0), s.input(1), 0, 0);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_gather_v2(ShapeInference& s) {
  if (auto status = s.need_rank(2, 0); !status.ok()) return status;
  std::optional<int> axis;
  auto given = s.constant_ints(2);
  if (given && s.input(0).has_rank()) {
    auto found = find_axis(given->front(), s.input(0).rank());
    if (!found) return found.status();
    axis = *found;
  }
  auto shape = gathered_shape(s.input(0), s.input(1), axis, s.attr<int64_t>("batch_dims"));
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Parts of a shape in a graph, all as int64 vectors of one element, for any rank.
class ShapeParts {
 public:
  ShapeParts(Gradient& g, const Value& x)
      : g_(g), sizes_(g.op("Shape", {x}, {{"out_type", DType::int64}})) {}

  Value all() const { return sizes_; }
  /// The sizes of `count` axes from one on; a count of -1: all the rest.
  Value from(const Value& begin, const Value& count) const {
    return g_.op("Slice", {sizes_, begin, count});
  }
  /// The product of those.
  Value product(const Value& begin, const Value& count) const {
    return g_.op("Prod", {from(begin, count), g_.ints({0})}, {{"keep_dims", true}});
  }

 private:
  Gradient& g_;
  Value sizes_;
};

Value long_number(Gradient& g, int64_t value) {
  return g.constant(Tensor::of<int64_t>({1}, {value}));
}

/// 0, 1, ... as an int64 column of that length, a vector of one element.
Value count_rows(Gradient& g, const Value& length) {
  auto end = g.reshape(length, g.ints({}));
  auto range = g.op("Range", {g.constant<int64_t>(0), end, g.constant<int64_t>(1)});
  return g.reshape(range, g.ints({-1, 1}));
}

/// The sum of the slices of dy at the places that they came from, with params as a table of rows:
/// one for each position along the batch, the axes between it and `axis`, and `axis`.
Value scattered(Gradient& g, Value axis, Value batch) {
  auto zero = long_number(g, 0), one = long_number(g, 1), rest = long_number(g, -1);
  ShapeParts params(g, g.in(0)), indices(g, g.in(1));
  auto batches = params.product(zero, batch), between = params.product(batch, axis - batch);
  auto length = params.from(axis, one), row_size = params.product(axis + one, rest);
  auto each = indices.product(batch, rest);  // the indices of a batch

  auto blocks = g.op("ConcatV2", {batches, between, one, g.constant<int32_t>(0)});
  auto starts = g.reshape(count_rows(g, batches * between) * length, blocks);
  auto rows_shape = g.op("ConcatV2", {batches, one, each, g.constant<int32_t>(0)});
  auto rows = g.reshape(g.cast(g.in(1), DType::int64), rows_shape) + starts;
  auto places = g.reshape(rows, g.ints({-1, 1}));
  auto count = batches * between * each;
  auto slices = g.reshape(g.dy(), g.op("ConcatV2", {count, row_size, g.constant<int32_t>(0)}));
  auto whole = g.op("ConcatV2", {batches * between * length, row_size, g.constant<int32_t>(0)});
  return g.reshape(g.op("ScatterNd", {places, slices, whole}), params.all());
}

/// The shape of dy with all indices along one axis: a row of it for each row of params.
Value rows_shape(Gradient& g) {
  const auto& table = g.in(0).shape();
  auto has_plain_rows = table.has_rank() && table.rank() > 0 &&
      std::ranges::all_of(table.sizes().subspan(1), [](int64_t size) {
        return size > 0 && size <= std::numeric_limits<int32_t>::max();
      });
  if (has_plain_rows) {
    std::vector<int32_t> sizes(table.sizes().begin(), table.sizes().end());
    sizes.front() = -1;
    return g.ints(sizes);
  }
  ShapeParts params(g, g.in(0));
  auto count = g.op("Size", {g.in(1)}, {{"out_type", DType::int64}});
  auto row = params.from(long_number(g, 1), long_number(g, -1));
  return g.op("ConcatV2", {g.reshape(count, g.ints({1})), row, g.constant<int32_t>(0)});
}

/// The rows that were gathered.
void gather_gradient(Gradient& g) {
  g.to_input(
      0,
      {.values = g.reshape(g.dy(), rows_shape(g)),
       .indices = g.reshape(g.in(1), g.ints({-1})),
       .dense_shape = g.shape_of(g.in(0))});
}

void gather_v2_gradient(Gradient& g) {
  auto known_axis = g.constant_ints(2);
  auto is_first = known_axis && known_axis->size() == 1 && known_axis->front() == 0;
  if (is_first && g.node().attr<int64_t>("batch_dims") == 0) return gather_gradient(g);
  auto rank_of = [&](int i) { return g.reshape(g.op("Rank", {g.in(i)}), g.ints({1})); };
  auto rank = g.cast(rank_of(0), DType::int64);
  auto given = g.reshape(g.cast(g.in(2), DType::int64), g.ints({1}));
  auto axis = g.op("FloorMod", {given, rank});
  auto batch_dims = g.node().attr<int64_t>("batch_dims");
  auto batch = long_number(g, batch_dims);
  if (batch_dims < 0) batch = batch + g.cast(rank_of(1), DType::int64);
  g.to_input(0, scattered(g, axis, batch));
}

}  // namespace

void add_gather_ops(OpCatalog& catalog) {
  catalog.add(Op("Gather")
      .doc("The slices of `params` along the first axis that `indices` name, in the shape of "
           "`indices`.")
      .input("params", "Tparams")
      .input("indices", "Tindices")
      .output("output", "Tparams")
      .attr("validate_indices", true)
      .attr("Tparams", all_dtypes())
      .attr("Tindices", indexing())
      .infer_shape(infer_gather)
      .gradient(gather_gradient));
  catalog.add(Op("GatherV2")
      .doc("The slices of `params` along an axis that `indices` name, in the shape of `indices`. "
           "The first `batch_dims` dimensions of both are one: each batch has indices of its own.")
      .input("params", "Tparams")
      .input("indices", "Tindices")
      .input("axis", "Taxis")
      .output("output", "Tparams")
      .attr("batch_dims", 0)
      .attr("Tparams", all_dtypes())
      .attr("Tindices", indexing())
      .attr("Taxis", indexing())
      .infer_shape(infer_gather_v2)
      .gradient(gather_v2_gradient));
}

}  // namespace troupe
