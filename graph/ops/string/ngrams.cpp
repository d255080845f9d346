#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_ngrams(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
  for (auto width : s.attr<std::vector<int64_t>>("ngram_widths"))
    if (width <= 0)
      return invalid_argument(
          "'ngram_widths' must be positive, but one is " + std::to_string(width));
  s.set(0, {Shape::unknown});
  s.set(1, s.input(1).has_rank() ? s.input(1) : Shape::of_rank(1));
  return {};
}

Status infer_padded_raw(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  if (!s.input(0).has_rank()) return {};
  std::vector<int64_t> sizes(s.input(0).sizes().begin(), s.input(0).sizes().end());
  sizes.push_back(Shape::unknown);
  if (auto length = s.constant_ints(1)) {
    auto size = static_cast<int64_t>(size_of(s.attr<DType>("out_type")));
    if (length->front() <= 0 || length->front() % size != 0)
      return invalid_argument(
          "'fixed_length' must be a positive multiple of the size of an element, " +
          std::to_string(size) + ", but is " + std::to_string(length->front()));
    sizes.back() = length->front() / size;
  }
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_joined_segments(ShapeInference& s) {
  const auto &inputs = s.input(0), &ids = s.input(1);
  if (auto status = s.need_rank(2, 0); !status.ok()) return status;
  if (ids.is_scalar()) return invalid_argument("'segment_ids' must have at least rank 1, not 0");
  if (!inputs.has_rank() || !ids.has_rank()) return {};
  auto fits = ids.rank() <= inputs.rank() &&
              Shape(inputs.sizes().first(ids.rank())).is_compatible_with(ids);
  if (!fits)
    return invalid_argument(
        "'segment_ids' of shape " + ids.to_string() + " do not fit strings of " +
        inputs.to_string());
  std::vector<int64_t> sizes(inputs.sizes().begin() + ids.rank(), inputs.sizes().end());
  auto count = s.constant_ints(2);
  if (count && count->front() < 0)
    return invalid_argument(
        "the number of segments " + std::to_string(count->front()) + " is negative");
  sizes.insert(sizes.begin(), count ? count->front() : Shape::unknown);
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

}  // namespace

void add_ngrams_ops(OpCatalog& catalog) {
  catalog.add(Op("StringNGrams")
      .doc("All runs of as many neighbours as each of `ngram_widths` says in rows of strings, "
           "joined by `separator`; row r is what lies between splits r and r + 1. Each end of a "
           "row has `pad_width` pads more, but at most one less than the width, which is what -1 "
           "stands for. A row that is too short for any run is one, with "
           "`preserve_short_sequences`.")
      .input("data", DType::string)
      .input("data_splits", "Tsplits")
      .output("ngrams", DType::string)
      .output("ngrams_splits", "Tsplits")
      .attr("separator", AttrType::string)
      .attr("ngram_widths", AttrType::integers)
      .attr("left_pad", AttrType::string)
      .attr("right_pad", AttrType::string)
      .attr("pad_width", AttrType::integer)
      .attr("preserve_short_sequences", AttrType::boolean)
      .attr("Tsplits", indexing(), DType::int64)
      .infer_shape(infer_ngrams)
      .gradient(not_differentiable));
  catalog.add(Op("DecodePaddedRaw")
      .doc("The first `fixed_length` bytes of each string, or zeros where there are fewer, as "
           "elements of a dtype along a new last axis.")
      .input("input_bytes", DType::string)
      .input("fixed_length", DType::int32)
      .output("output", "out_type")
      .attr(
          "out_type",
          {DType::float16, DType::float32, DType::float64, DType::int32, DType::uint16,
           DType::uint8, DType::int16, DType::int8, DType::int64})
      .attr("little_endian", true)
      .infer_shape(infer_padded_raw)
      .gradient(not_differentiable));
  catalog.add(Op("UnsortedSegmentJoin")
      .doc("The strings with each segment id, one behind the other with `separator` between them.")
      .input("inputs", DType::string)
      .input("segment_ids", "Tindices")
      .input("num_segments", "Tnumsegments")
      .output("output", DType::string)
      .attr("separator", "")
      .attr("Tindices", indexing())
      .attr("Tnumsegments", indexing(), DType::int32)
      .infer_shape(infer_joined_segments));
}

}  // namespace troupe
