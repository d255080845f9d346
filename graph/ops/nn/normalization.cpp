#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_normalization_ops(OpCatalog&) {}

}  // namespace troupe
