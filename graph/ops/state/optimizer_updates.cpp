#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_optimizer_updates_ops(OpCatalog&) {}

}  // namespace troupe
