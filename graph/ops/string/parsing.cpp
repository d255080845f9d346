#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_parsing_ops(OpCatalog&) {}

}  // namespace troupe
