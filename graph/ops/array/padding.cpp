#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_padding_ops(OpCatalog&) {}

}  // namespace troupe
