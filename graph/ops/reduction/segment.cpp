#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_segment_ops(OpCatalog&) {}

}  // namespace troupe
