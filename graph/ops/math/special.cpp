#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_special_ops(OpCatalog&) {}

}  // namespace troupe
