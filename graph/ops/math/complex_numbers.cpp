#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_complex_numbers_ops(OpCatalog&) {}

}  // namespace troupe
