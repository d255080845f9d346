#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_strided_slice_ops(OpCatalog&) {}

}  // namespace troupe
