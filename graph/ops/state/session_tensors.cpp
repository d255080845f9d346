#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_session_tensors_ops(OpCatalog& catalog) {
  catalog.add(Op("GetSessionHandle")
      .doc("Keeps a tensor on its device as long as the session lives, and gives the handle that "
           "other steps of the session get it by.")
      .input("value", "T")
      .output("handle", DType::string)
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable)
      .stateful());
  catalog.add(Op("GetSessionTensor")
      .doc("The tensor that the session keeps with that handle, which must be on this device.")
      .input("handle", DType::string)
      .output("value", "dtype")
      .attr("dtype", AttrType::dtype)
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .gradient(not_differentiable)
      .stateful());
  catalog.add(Op("DeleteSessionTensor")
      .doc("Ends the tensor that the session keeps with that handle on this device.")
      .input("handle", DType::string)
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .stateful());
}

}  // namespace troupe
