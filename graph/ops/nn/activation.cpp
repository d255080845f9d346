#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_activation_ops(OpCatalog&) {}

}  // namespace troupe
