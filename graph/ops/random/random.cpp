#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Random tensors depend on nothing but seeds and the number of the draw; two seeds of 0 are drawn
/// afresh by each process.
Op random(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("shape", "T")
      .output("output", "dtype")
      .attr("seed", 0)
      .attr("seed2", 0)
      .attr("dtype", floating())
      .attr("T", indexing())
      .infer_shape(shapes::from_shape_input(0))
      .gradient(not_differentiable)
      .stateful();
}

}  // namespace

void add_random_ops(OpCatalog& catalog) {
  catalog.add(random("RandomUniform", "Numbers drawn evenly from [0, 1)."));
  catalog.add(random("RandomStandardNormal", "Normal numbers of mean 0 and deviation 1."));
  catalog.add(random(
      "TruncatedNormal", "Normal numbers, drawn again where they are beyond two deviations."));
}

}  // namespace troupe
