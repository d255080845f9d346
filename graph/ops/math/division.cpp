#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_division_ops(OpCatalog&) {}

}  // namespace troupe
