#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// A vector of as many counts as a scalar input says, which must be at least `least`.
Status set_counts(ShapeInference& s, int input, int64_t least) {
  if (auto status = s.need_rank(input, 0); !status.ok()) return status;
  auto given = s.constant_ints(input);
  if (given && given->front() < least)
    return invalid_argument(
        "the number of bins must be at least " + std::to_string(least) + ", but is " +
        std::to_string(given->front()));
  s.set(0, {given ? given->front() : Shape::unknown});
  return {};
}

Status infer_bincount(ShapeInference& s) { return set_counts(s, 1, 0); }

Status infer_histogram(ShapeInference& s) {
  if (!s.input(1).is_compatible_with({2}))
    return invalid_argument(
        "value_range must have 2 elements, but has the shape " + s.input(1).to_string());
  return set_counts(s, 2, 1);
}

const DTypes& histogram_dtypes() {
  static const DTypes dtypes = {DType::int32, DType::int64, DType::float32, DType::float64};
  return dtypes;
}

}  // namespace

void add_histogram_ops(OpCatalog& catalog) {
  catalog.add(Op("Bincount")
      .doc("How often each of 0, 1, ... `size` - 1 is in `arr`, in which none may be negative and "
           "greater ones are left out; or the sum of the weights of its places, if weights are "
           "given: in the shape of `arr`, or none.")
      .input("arr", DType::int32)
      .input("size", DType::int32)
      .input("weights", "T")
      .output("bins", "T")
      .attr("T", histogram_dtypes())
      .infer_shape(infer_bincount)
      .gradient(not_differentiable));
  catalog.add(Op("HistogramFixedWidth")
      .doc("How many of the values are in each of `nbins` parts of equal width of value_range, a "
           "vector of its two ends; values beyond an end count as that end.")
      .input("values", "T")
      .input("value_range", "T")
      .input("nbins", DType::int32)
      .output("out", "dtype")
      .attr("T", histogram_dtypes())
      .attr("dtype", indexing(), DType::int32)
      .infer_shape(infer_histogram)
      .gradient(not_differentiable));
}

}  // namespace troupe
