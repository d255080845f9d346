#include "troupe/graph/ops/transfer.hpp"

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/fusion.hpp"

namespace troupe {

void add_transfer_ops(OpCatalog& catalog) {
  catalog.add(Op(transfer::arg)
      .doc("The step's feed number `index`, or a function's argument.")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("index", AttrType::integer)
      .attr("shape", Shape::unknown_rank())
      .infer_shape([](ShapeInference& s) {
        // Of a handle, which is a scalar, the attribute is the shape of the variable.
        s.set(0, s.attr<DType>("T") == DType::resource ? Shape() : s.attr<Shape>("shape"));
        return Status();
      })
      .stateful());
  catalog.add(Op(transfer::retval)
      .doc("Makes its input the step's fetch number `index`.")
      .input("input", "T")
      .attr("T", AttrType::dtype)
      .attr("index", AttrType::integer)
      .infer_shape(shapes::none())
      .stateful());
  catalog.add(Op(transfer::send)
      .doc("Sends its input along `edge` to the plan on `to_device`. Does not wait.")
      .input("tensor", "T")
      .attr("T", AttrType::dtype)
      .attr("edge", AttrType::integer)
      .attr("to_device", AttrType::string)
      .infer_shape(shapes::none())
      .stateful());
  catalog.add(Op(transfer::recv)
      .doc("Waits, without a thread, for what the _Send on `from_device` sends along `edge`.")
      .output("tensor", "tensor_type")
      .attr("tensor_type", AttrType::dtype)
      .attr("edge", AttrType::integer)
      .attr("from_device", AttrType::string)
      .attr("tensor_name", std::string())
      .attr("shape", Shape::unknown_rank())
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.attr<Shape>("shape"));
        return Status();
      })
      .stateful());
  catalog.add(Op(transfer::read)
      .doc("The value of the variable, for an op that takes a tensor where a reference is given.")
      .ref_input("ref", "T")
      .output("value", "T")
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::same_as_input())
      .stateful());
  fusion::add_ops(catalog);
}

}  // namespace troupe
