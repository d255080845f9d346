#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_gather_nd_ops(OpCatalog&) {}

}  // namespace troupe
