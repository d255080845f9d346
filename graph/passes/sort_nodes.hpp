#pragma once

#include <vector>

#include "troupe/graph/node_def.hpp"

namespace troupe {

/// Puts inputs, control inputs among them, before the nodes that use them; the order stays where
/// they are. A NextIteration may come after the Merge that names it. Names that no node has are
/// left alone.
void sort_inputs_first(std::vector<NodeDef>& nodes);

}  // namespace troupe
