#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

void add_rounding_ops(OpCatalog& catalog) {
  catalog.add(unary(
      "Floor", "The greatest integer that is not greater than x.", floating(), not_differentiable));
  catalog.add(unary(
      "Ceil", "The least integer that is not less than x.", floating(), not_differentiable));
  catalog.add(unary(
      "Rint", "The integer nearest to x, the even one of two.", floating(), not_differentiable));
  catalog.add(unary(
      "Round", "The integer nearest to x, the even one of two; of a complex number for each part.",
      numeric(), not_differentiable));
}

}  // namespace troupe
