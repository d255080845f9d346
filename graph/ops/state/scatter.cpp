#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_scatter_ops(OpCatalog&) {}

}  // namespace troupe
