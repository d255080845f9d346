#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_decompositions_ops(OpCatalog&) {}

}  // namespace troupe
