#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_bitwise_ops(OpCatalog&) {}

}  // namespace troupe
