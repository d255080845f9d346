#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_sampling_ops(OpCatalog&) {}

}  // namespace troupe
