#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_splitting_ops(OpCatalog&) {}

}  // namespace troupe
