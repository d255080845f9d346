#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_partition_ops(OpCatalog&) {}

}  // namespace troupe
