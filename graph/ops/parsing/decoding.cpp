#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_decoding_ops(OpCatalog& catalog) {
  catalog.add(Op("DecodeCompressed")
      .doc("The bytes that each string holds compressed, as compression_type says; all of one "
           "stream, what follows it is ignored.")
      .input("bytes", DType::string)
      .output("output", DType::string)
      .attr("compression_type", "", {"", "ZLIB", "GZIP"})
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
  catalog.add(Op("DecodeJSONExample")
      .doc("Examples in JSON as serialized ones, which ParseExample reads.")
      .input("json_examples", DType::string)
      .output("binary_examples", DType::string)
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
}

}  // namespace troupe
