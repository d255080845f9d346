#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

// The parts of add_boosted_trees_ops().
void add_boosted_trees_prediction_ops(OpCatalog& catalog);
void add_boosted_trees_training_ops(OpCatalog& catalog);
void add_boosted_trees_stats_ops(OpCatalog& catalog);
void add_boosted_trees_split_ops(OpCatalog& catalog);
void add_boosted_trees_quantile_ops(OpCatalog& catalog);

/// Fails unless input `index` can have the shape.
Status need_shape(const ShapeInference& s, int index, const Shape& shape);
/// The same of `count` inputs, from `first` on.
Status need_shapes(const ShapeInference& s, int first, int64_t count, const Shape& shape);
/// The least size that both have, where they can be equal; else InvalidArgument.
Result<int64_t> same_size(int64_t a, int64_t b);
/// The size of that axis; unknown where the rank is.
int64_t size_of_axis(const Shape& shape, int axis);

}  // namespace troupe
