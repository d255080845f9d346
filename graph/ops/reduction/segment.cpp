#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The result: `count` segments of what lies behind the first `skipped` axes of the data.
Status set_segments(ShapeInference& s, int64_t count, int skipped) {
  const auto& data = s.input(0);
  if (!data.has_rank()) return {};
  if (data.rank() < skipped)
    return invalid_argument(
        "input 0 must have at least rank " + std::to_string(skipped) + ", but has the shape " +
        data.to_string());
  std::vector<int64_t> sizes(data.sizes().begin() + skipped, data.sizes().end());
  sizes.insert(sizes.begin(), count);
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_segment(ShapeInference& s) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  return set_segments(s, Shape::unknown, 1);
}

/// The number of segments that a scalar input says, or unknown.
Result<int64_t> segment_count(const ShapeInference& s, int input) {
  if (auto status = s.need_rank(input, 0); !status.ok()) return status;
  auto given = s.constant_ints(input);
  if (!given) return Shape::unknown;
  if (given->front() < 0)
    return invalid_argument(
        "the number of segments " + std::to_string(given->front()) + " is negative");
  return given->front();
}

Status infer_unsorted(ShapeInference& s) {
  auto count = segment_count(s, 2);
  if (!count) return count.status();
  if (!s.input(1).has_rank()) return {};
  return set_segments(s, *count, s.input(1).rank());
}

/// Gathers the rows of ids that are not negative; the others are zeros.
struct KnownRows {
  const Gradient& g;
  Value ids = g.in(1);
  Value clipped = g.op("Maximum", {ids, g.zeros_like(ids)});

  Value gather(const Value& rows) const {
    return g.op("GatherV2", {rows, clipped, g.constant<int32_t>(0)});
  }
  /// True for each element of a row with an id that is not negative.
  Value mask(const Value& gathered) const {
    auto count = g.op("Rank", {gathered}) - g.op("Rank", {ids});
    auto ones = g.fill(g.reshape(count, g.ints({1})), g.constant<int32_t>(1));
    auto shape = g.op("ConcatV2", {g.shape_of(ids), ones, g.constant<int32_t>(0)});
    auto is_known = g.op("GreaterEqual", {ids, g.zeros_like(ids)});
    return g.op("BroadcastTo", {g.reshape(is_known, shape), g.shape_of(gathered)});
  }
  Value gather_or_zero(const Value& rows) const {
    auto gathered = gather(rows);
    return g.op("Select", {mask(gathered), gathered, g.zeros_like(gathered)});
  }
};

Value gather_rows(const Gradient& g, const Value& rows, const Value& ids) {
  return g.op("GatherV2", {rows, ids, g.constant<int32_t>(0)});
}

/// Distributes dy to the elements that are the extreme of their segment, in equal shares.
void segment_extreme_gradient(Gradient& g) {
  auto is_chosen = g.equal(g.in(0), gather_rows(g, g.out(0), g.in(1)));
  auto count = g.op("SegmentSum", {g.cast(is_chosen, g.dy().dtype()), g.in(1)});
  auto share = gather_rows(g, g.dy() / count, g.in(1));
  g.to_input(0, g.op("Select", {is_chosen, share, g.zeros_like(g.in(0))}));
}

void unsorted_extreme_gradient(Gradient& g) {
  KnownRows known{g};
  auto extreme = known.gather(g.out(0));
  auto is_chosen =
      g.op("LogicalAnd", {g.equal(g.in(0), extreme), known.mask(extreme)});
  auto count =
      g.op("UnsortedSegmentSum", {g.cast(is_chosen, g.dy().dtype()), g.in(1), g.in(2)});
  auto share = known.gather(g.dy() / count);
  g.to_input(0, g.op("Select", {is_chosen, share, g.zeros_like(g.in(0))}));
}

/// The product of all others: of a segment without zeros by division, of one with a single zero
/// only for that one, of others 0.
void unsorted_product_gradient(Gradient& g) {
  KnownRows known{g};
  const auto& x = g.in(0);
  auto is_zero = g.equal(x, g.zeros_like(x));
  auto zeros = g.op("UnsortedSegmentSum", {g.cast(is_zero, DType::int32), g.in(1), g.in(2)});
  auto dy = g.op("Select", {
      g.op("Greater", {zeros, g.ones_like(zeros)}), g.zeros_like(g.dy()), g.dy()});
  auto without_zeros = g.op("Select", {is_zero, g.ones_like(x), x});
  auto others = g.op("UnsortedSegmentProd", {without_zeros, g.in(1), g.in(2)});
  auto quotient = known.gather(g.out(0)) / without_zeros;
  auto partial = g.op("Select", {is_zero, known.gather(others), quotient});
  g.to_input(0, known.gather_or_zero(dy) * partial);
}

/// Each row's share of its segment's dy.
void segment_mean_gradient(Gradient& g) {
  auto rank = g.op("Rank", {g.in(0)}) - g.constant<int32_t>(1);
  auto ones = g.fill(g.reshape(rank, g.ints({1})), g.constant<int32_t>(1));
  auto shape = g.op("ConcatV2", {g.shape_of(g.in(1)), ones, g.constant<int32_t>(0)});
  auto counts = g.op("SegmentSum", {g.fill(shape, g.like(g.dy(), 1)), g.in(1)});
  g.to_input(0, gather_rows(g, g.dy() / counts, g.in(1)));
}

Op segment(const char* name, const char* doc, const DTypes& dtypes) {
  return Op(name)
      .doc(doc)
      .input("data", "T")
      .input("segment_ids", "Tindices")
      .output("output", "T")
      .attr("T", dtypes)
      .attr("Tindices", indexing())
      .infer_shape(infer_segment);
}

Op unsorted_segment(
    const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("data", "T")
      .input("segment_ids", "Tindices")
      .input("num_segments", "Tnumsegments")
      .output("output", "T")
      .attr("T", dtypes)
      .attr("Tindices", indexing())
      .attr("Tnumsegments", indexing(), DType::int32)
      .infer_shape(infer_unsorted)
      .gradient(std::move(gradient));
}

}  // namespace

void add_segment_ops(OpCatalog& catalog) {
  catalog.add(segment(
      "SegmentSum", "The sum of the rows of each segment: of equal ids, which must not decrease.",
      numeric()).gradient([](Gradient& g) { g.to_input(0, gather_rows(g, g.dy(), g.in(1))); }));
  catalog.add(segment(
      "SegmentMean", "The mean of the rows of each segment: of equal ids, which must not decrease.",
      numeric()).gradient(segment_mean_gradient));
  catalog.add(segment(
      "SegmentProd",
      "The product of the rows of each segment: of equal ids, which must not decrease.",
      numeric()));
  catalog.add(segment(
      "SegmentMin", "The least of the rows of each segment: of equal ids, which must not decrease.",
      real()).gradient(segment_extreme_gradient));
  catalog.add(segment(
      "SegmentMax",
      "The greatest of the rows of each segment: of equal ids, which must not decrease.",
      real()).gradient(segment_extreme_gradient));
  catalog.add(unsorted_segment(
      "UnsortedSegmentSum", "The sum of the slices of each id. Those of negative ids are dropped.",
      numeric(), [](Gradient& g) { g.to_input(0, KnownRows{g}.gather_or_zero(g.dy())); }));
  catalog.add(unsorted_segment(
      "UnsortedSegmentProd",
      "The product of the slices of each id. Those of negative ids are dropped.", numeric(),
      unsorted_product_gradient));
  catalog.add(unsorted_segment(
      "UnsortedSegmentMin",
      "The least of the slices of each id, or the greatest number of the dtype where there are "
      "none. Those of negative ids are dropped.",
      real(), unsorted_extreme_gradient));
  catalog.add(unsorted_segment(
      "UnsortedSegmentMax",
      "The greatest of the slices of each id, or the least number of the dtype where there are "
      "none. Those of negative ids are dropped.",
      real(), unsorted_extreme_gradient));
}

}  // namespace troupe
