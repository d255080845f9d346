#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

// The ops of the random family that have a file of their own.
void add_stateless_ops(OpCatalog& catalog);
void add_samplers_ops(OpCatalog& catalog);

namespace ops {

/// Output 0 has the shape that input 0 describes as a vector of sizes, followed by that of input 1.
Status infer_samples(ShapeInference& s);

/// Of an op with the inputs logits and num_samples: output 0 has a row of samples for each of the
/// logits.
Status infer_classes(ShapeInference& s);

}  // namespace ops
}  // namespace troupe
