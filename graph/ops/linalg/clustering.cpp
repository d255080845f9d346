#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Fails unless the inputs from that one on can be scalars.
Status need_scalars(const ShapeInference& s, int first) {
  for (int i = first; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  return {};
}

/// How many the constant input says there are, if it is one.
int64_t constant_count(const ShapeInference& s, int index) {
  auto count = s.constant_ints(index);
  return count && count->size() == 1 && count->front() >= 0 ? count->front() : Shape::unknown;
}

Status infer_samples(ShapeInference& s) {
  if (auto status = s.need_rank(0, 2); !status.ok()) return status;
  if (auto status = need_scalars(s, 1); !status.ok()) return status;
  auto columns = s.input(0).has_rank() ? s.input(0)[1] : Shape::unknown;
  s.set(0, {constant_count(s, 1), columns});
  return {};
}

Status infer_chain(ShapeInference& s) {
  s.set(0, {});
  if (auto status = s.need_rank(0, 1); !status.ok()) return status;
  return need_scalars(s, 1);
}

Status infer_nearest(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 2); !status.ok()) return status;
  if (auto status = need_scalars(s, 2); !status.ok()) return status;
  auto size_of = [&](int input, int axis) {
    return s.input(input).has_rank() ? s.input(input)[axis] : Shape::unknown;
  };
  auto columns = Shape{size_of(0, 1)}.merge({size_of(1, 1)});
  if (!columns) return columns.status();
  auto wanted = constant_count(s, 2), centers = size_of(1, 0);
  auto is_known = wanted != Shape::unknown && centers != Shape::unknown;
  for (int i : {0, 1})
    s.set(i, {size_of(0, 0), is_known ? std::min(wanted, centers) : Shape::unknown});
  return {};
}

}  // namespace

void add_clustering_ops(OpCatalog& catalog) {
  catalog.add(Op("KmeansPlusPlusInitialization")
                  .doc("Rows of `points` [n, d] from which k-means may begin: each next one is "
                       "drawn with a probability in proportion to its squared distance from those "
                       "before it, and is the best of 1 + `num_retries_per_sample` that are drawn; "
                       "of 3 + log(`num_to_sample`), if that is negative.")
                  .input("points", DType::float32)
                  .input("num_to_sample", DType::int64)
                  .input("seed", DType::int64)
                  .input("num_retries_per_sample", DType::int64)
                  .output("samples", DType::float32)
                  .infer_shape(infer_samples));
  catalog.add(Op("KMC2ChainInitialization")
                  .doc("The last state of a Markov chain over all places of `distances`, whose "
                       "stationary distribution is in proportion to them: from which of some "
                       "points k-means may begin, after k-MC2.")
                  .input("distances", DType::float32)
                  .input("seed", DType::int64)
                  .output("index", DType::int64)
                  .infer_shape(infer_chain));
  catalog.add(Op("NearestNeighbors")
                  .doc("For each of the `points` [n, d] the `k` nearest of the `centers` [m, d], "
                       "or all, from the nearest on, and the squared distances from them.")
                  .input("points", DType::float32)
                  .input("centers", DType::float32)
                  .input("k", DType::int64)
                  .output("nearest_center_indices", DType::int64)
                  .output("nearest_center_distances", DType::float32)
                  .infer_shape(infer_nearest));
}

}  // namespace troupe
