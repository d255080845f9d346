#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/shape.hpp"

namespace troupe {

/// How a tensor says which values belong to which row: the number of rows, before the row of each
/// value; or where each row begins, and the last ends.
enum class RowPartition : uint8_t { first_dim_size, value_rowids, row_splits };

/// Of the names "FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS". Fails unless each row partition has
/// what it needs before it.
Result<std::vector<RowPartition>> parse_row_partitions(const std::vector<std::string>& names);

/// How many axes the partitions add to the first one.
int ragged_rank(const std::vector<RowPartition>& kinds);

/// The shape of a dense tensor with the rows of a ragged one: `given`, or unknown sizes, with those
/// of the values' inner axes. Fails where they do not fit.
Result<Shape> ragged_tensor_shape(
    const std::optional<std::vector<int64_t>>& given, const Shape& values, int ragged_rank);

}  // namespace troupe
