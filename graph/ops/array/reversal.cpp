#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_reversal_ops(OpCatalog&) {}

}  // namespace troupe
