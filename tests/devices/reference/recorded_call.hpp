#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/op.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::testing {

/// A call of an op, and what an independent implementation answered (tests/reference/).
struct RecordedCall {
  std::string where;  // "rounding.json, call 3 (Floor)"
  std::string op;
  Attrs attrs;
  Tensors variables;  // those of its first inputs, before the call
  Tensors updated;    // and after it
  Tensors inputs;     // behind those
  Tensors outputs;    // where it succeeds
  std::string error;  // else: the code
  std::string says;   // part of its message
  /// The inputs to check derivatives for; absent: all of float64.
  std::optional<std::vector<size_t>> gradient;
  std::optional<double> tolerance;  // absent: that of the dtype
  bool has_known_shape = true;      // from shapes, and the values of constants

  bool succeeds() const { return error.empty(); }
  /// The inputs whose derivatives are checked.
  std::set<size_t> differentiated() const;
};

/// All calls of the files in tests/reference/. Stops the test where one cannot be read.
const std::vector<RecordedCall>& recorded_calls();

}  // namespace troupe::testing
