#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_pooling_ops(OpCatalog&) {}

}  // namespace troupe
