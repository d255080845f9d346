#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_order_ops(OpCatalog&) {}

}  // namespace troupe
