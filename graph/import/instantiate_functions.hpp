#pragma once

#include <troupe_proto/graph.pb.h>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Replaces the functions that have attributes, such as the dtype of their arguments, by one for
/// each set of values that they are called with: calls of "f" with T = int64 become calls of
/// "f_T_int64". NotFound names a function that is called without one of its attributes;
/// ResourceExhausted one of those that call themselves with other values without end.
Status instantiate_functions(proto::GraphDef& graph);

}  // namespace troupe
