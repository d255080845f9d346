#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/build/operand.hpp"

namespace troupe::nn {

struct EmbeddingLookupOptions {
  std::string partition_strategy = "mod";  // or "div"
  std::optional<double> max_norm = {};     // rows of a greater norm are scaled down to it
};

/// The rows of a table at `ids`, read where the table is; its gradient is one of rows.
///
/// Several variables are one table: with the strategy "mod", row i is in variable i % n; with
/// "div", each variable has the next rows, and the first ones have one more where the number of
/// rows is no multiple of n. A partition is read at every id, at its first row where the id is of
/// another partition, so none may be empty.
Value embedding_lookup(
    const Builder& builder, const std::vector<Variable>& params, const Value& ids,
    const EmbeddingLookupOptions& options = {});

/// The same of tables that are tensors.
Value embedding_lookup_in_tensors(
    const Builder& builder, const Values& params, const Value& ids,
    const EmbeddingLookupOptions& options = {});

}  // namespace troupe::nn
