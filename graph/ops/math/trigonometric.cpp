#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_trigonometric_ops(OpCatalog&) {}

}  // namespace troupe
