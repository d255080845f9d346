#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_space_ops(OpCatalog&) {}

}  // namespace troupe
