#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_reference_ops(OpCatalog&) {}

}  // namespace troupe
