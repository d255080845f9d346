#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/state/state.hpp"

namespace troupe {

Op::InferShape updates_reference(Op::InferShape check) {
  return [check = std::move(check)](ShapeInference& s) {
    auto status = check(s);
    if (status.ok()) s.set(0, s.input(0));
    return status;
  };
}

namespace {

void add_variables(OpCatalog& catalog) {
  for (bool is_legacy : {false, true})
    catalog.add(Op(is_legacy ? "Variable" : "VariableV2")
        .doc(std::string("A reference to the variable `shared_name` (the node's name, if empty) in "
                         "`container`. ") +
             (is_legacy ? "The shape of a scalar stands for an unknown one."
                        : "An op that takes a tensor gets its value."))
        .ref_output("ref", "dtype")
        .attr("shape", AttrType::shape)
        .attr("dtype", all_dtypes())
        .attr("container", "")
        .attr("shared_name", "")
        .infer_shape([is_legacy](ShapeInference& s) {
          const auto& shape = s.attr<Shape>("shape");
          s.set(0, is_legacy && shape.is_scalar() ? Shape::unknown_rank() : shape);
          return check_container(s.attr<std::string>("container"));
        })
        .resource_handle());

  catalog.add(Op("IsVariableInitialized")
      .doc("True once the variable has a value.")
      .ref_input("ref", "dtype")
      .output("is_initialized", DType::boolean)
      .attr("dtype", all_dtypes())
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable)
      .stateful());
}

void add_ref_identity(OpCatalog& catalog) {
  catalog.add(Op("RefIdentity")
      .doc("The same reference.")
      .ref_input("input", "T")
      .ref_output("output", "T")
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) { g.pass_on(0); }));
}

void add_temporary_variables(OpCatalog& catalog) {
  catalog.add(Op("TemporaryVariable")
      .doc("A reference to a variable that only this step has. Without a value until one is "
           "assigned.")
      .ref_output("ref", "dtype")
      .attr("shape", AttrType::shape)
      .attr("dtype", all_dtypes())
      .attr("var_name", "")
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.attr<Shape>("shape"));
        return Status();
      })
      .stateful());
  catalog.add(Op("DestroyTemporaryVariable")
      .doc("The final value of the temporary variable `var_name`, which ends.")
      .ref_input("ref", "T")
      .output("value", "T")
      .attr("T", all_dtypes())
      .attr("var_name", AttrType::string)
      .infer_shape(shapes::same_as_input())
      .stateful());
}

/// The shape of the variable, and of a value for all of it.
Status infer_whole(ShapeInference& s) {
  auto merged = s.input(0).merge(s.input(1));
  if (merged) s.set(0, *merged);
  return merged.status();
}

void add_assignments(OpCatalog& catalog) {
  catalog.add(Op("Assign")
      .doc("Gives the variable a value; with validate_shape, one of the variable's shape.")
      .ref_input("ref", "T")
      .input("value", "T")
      .ref_output("output_ref", "T")
      .attr("T", all_dtypes())
      .attr("validate_shape", true)
      .attr("use_locking", true)
      .infer_shape([](ShapeInference& s) {
        if (s.attr<bool>("validate_shape")) return infer_whole(s);
        s.set(0, s.input(1));
        return Status();
      })
      .gradient(not_differentiable)
      .stateful());
  for (bool adds : {true, false})
    catalog.add(Op(adds ? "AssignAdd" : "AssignSub")
        .doc(adds ? "Adds to the variable; atomic among updates."
                  : "Subtracts from the variable; atomic among updates.")
        .ref_input("ref", "T")
        .input("value", "T")
        .ref_output("output_ref", "T")
        .attr("T", numeric())
        .attr("use_locking", false)
        .infer_shape(infer_whole)
        .gradient(not_differentiable)
        .stateful());
  catalog.add(Op("CountUpTo")
      .doc("The value of the variable, a scalar, which is then raised by 1; OutOfRange once it is "
           "`limit`.")
      .ref_input("ref", "T")
      .output("output", "T")
      .attr("limit", AttrType::integer)
      .attr("T", indexing())
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return s.need_rank(0, 0);
      })
      .stateful());
}

}  // namespace

// The variables of TensorFlow's older graphs, and the ops that change them as a whole. They are the
// variables of state.cpp: what an edge of the graph calls a reference is their handle in a step.
void add_reference_ops(OpCatalog& catalog) {
  add_variables(catalog);
  add_ref_identity(catalog);
  add_temporary_variables(catalog);
  add_assignments(catalog);
}

}  // namespace troupe
