#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_sparse_ops(OpCatalog&) {}

}  // namespace troupe
