#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_diagonals_ops(OpCatalog&) {}

}  // namespace troupe
