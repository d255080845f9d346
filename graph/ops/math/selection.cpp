#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_selection_ops(OpCatalog&) {}

}  // namespace troupe
