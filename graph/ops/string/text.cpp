#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_text_ops(OpCatalog&) {}

}  // namespace troupe
