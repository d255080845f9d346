#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_fourier_ops(OpCatalog&) {}

}  // namespace troupe
