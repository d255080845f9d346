#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_convolution_ops(OpCatalog&) {}

}  // namespace troupe
