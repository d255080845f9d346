#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_scan_ops(OpCatalog&) {}

}  // namespace troupe
