#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_checks_ops(OpCatalog&) {}

}  // namespace troupe
