#pragma once

#include <set>
#include <string>

#include "troupe/graph/support/environment.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Which ops may compute in float16, by TensorFlow's lists for that.
struct PrecisionLists {
  using Names = std::set<std::string, std::less<>>;

  Names allow;  // they do: that is safe, and they take most of the time
  Names infer;  // where no value before them comes from one that is denied
  Names deny;   // never
  Names clear;  // as their neighbours: they move numbers, compare them or change their signs
  bool forces_all = false;  // whatever can, but for constants and what has state

  /// TensorFlow's lists. Variables of the environment change them, as there: names with commas
  /// between them in TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_WHITELIST_ADD and _REMOVE, GRAYLIST
  /// (infer), BLACKLIST (deny) and CLEARLIST; ..._REWRITE_LEVEL is TENSOR_CORES_ONLY (the first
  /// list alone) or UNSAFE_FORCE_ALL. InvalidArgument where an op is in several lists, or the level
  /// is another.
  static Result<PrecisionLists> from(const Environment& environment);
};

}  // namespace troupe
