#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/state/state.hpp"

namespace troupe {

// Variables are TensorFlow's resource variables: an edge carries the handle, each read is a node,
// and every op on a variable runs on the variable's device.
void add_state_ops(OpCatalog& catalog) {
  catalog.add(Op("VarHandleOp")
      .doc("A handle of the variable `shared_name` (the node's name, if empty) in `container`.")
      .output("resource", DType::resource)
      .attr("container", "")
      .attr("shared_name", "")
      .attr("dtype", all_dtypes())
      .attr("shape", Shape::unknown_rank())
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle());

  catalog.add(Op("ReadVariableOp")
      .doc("The variable's value; FailedPrecondition if it has none yet.")
      .input("resource", DType::resource)
      .output("value", "dtype")
      .attr("dtype", all_dtypes())
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.handle_shape());
        return s.check_handle_dtype(s.attr<DType>("dtype"));
      })
      .gradient([](Gradient& g) { g.pass_on(0); })
      .stateful());

  for (auto name : {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"})
    catalog.add(Op(name)
        .doc(name == std::string("AssignVariableOp")
                 ? "Gives the variable a value."
                 : "Adds to the variable, or subtracts from it; atomic among updates.")
        .input("resource", DType::resource)
        .input("value", "dtype")
        .attr("dtype", name == std::string("AssignVariableOp") ? all_dtypes() : numeric())
        .infer_shape([](ShapeInference& s) {
          auto merged = s.handle_shape().merge(s.input(1));
          if (!merged) return merged.status();
          return s.check_handle_dtype(s.attr<DType>("dtype"));
        })
        .stateful());

  catalog.add(Op("VarIsInitializedOp")
      .doc("True once the variable has a value.")
      .input("resource", DType::resource)
      .output("is_initialized", DType::boolean)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable)
      .stateful());

  add_scatter_ops(catalog);
}

}  // namespace troupe
