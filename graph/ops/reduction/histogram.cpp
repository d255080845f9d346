#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_histogram_ops(OpCatalog&) {}

}  // namespace troupe
