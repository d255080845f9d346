#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_products_ops(OpCatalog&) {}

}  // namespace troupe
