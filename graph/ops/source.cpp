#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

void add_source_ops(OpCatalog& catalog) {
  catalog.add(Op("Const")
      .doc("The tensor in the attribute `value`.")
      .output("output", "dtype")
      .attr("value", AttrType::tensor)
      .attr("dtype", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        const auto& value = s.attr<Tensor>("value");
        if (value.dtype() != s.attr<DType>("dtype"))
          return invalid_argument(
              std::string("attribute 'value' is ") + to_string(value.dtype()) +
              ", but 'dtype' says " + to_string(s.attr<DType>("dtype")));
        s.set(0, value.shape());
        return Status();
      }));

  catalog.add(Op("Placeholder")
      .doc("A value that every step which needs it must feed.")
      .output("output", "dtype")
      .attr("dtype", AttrType::dtype)
      .attr("shape", Shape::unknown_rank())
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.attr<Shape>("shape"));
        return Status();
      }));

  catalog.add(Op("PlaceholderV2")
      .doc("As Placeholder, whose shape must be given.")
      .output("output", "dtype")
      .attr("dtype", AttrType::dtype)
      .attr("shape", AttrType::shape)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.attr<Shape>("shape"));
        return Status();
      }));

  catalog.add(Op("NoOp")
      .doc("Does nothing: a place for control inputs.")
      .infer_shape(shapes::none()));
}

}  // namespace troupe
