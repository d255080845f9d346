#include "troupe/graph/ops/loops.hpp"

#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The value and its shape go through unchanged.
Op make_forwarding_op(const char* name, bool is_reference, const char* doc) {
  auto op = Op(name).doc(doc);
  auto with_data = is_reference ? std::move(op).ref_input("data", "T").ref_output("output", "T")
                                : std::move(op).input("data", "T").output("output", "T");
  return std::move(with_data).attr("T", AttrType::dtype).infer_shape(shapes::same_as_input());
}

Op make_enter_op(const char* name, bool is_reference) {
  return make_forwarding_op(
             name, is_reference,
             "Gives `data` to iteration 0 of the loop whose frame is called `frame_name`; with\n"
             "`is_constant` to all its iterations. At most `parallel_iterations` run at once.")
      .attr("frame_name", AttrType::string)
      .attr("is_constant", false)
      .attr("parallel_iterations", 10);
}

Op make_switch_op() {
  return Op("RefSwitch")
      .doc("As Switch, of a reference to a variable.")
      .ref_input("data", "T")
      .input("pred", DType::boolean)
      .ref_output("output_false", "T")
      .ref_output("output_true", "T")
      .attr("T", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        s.set(1, s.input(0));
        return s.need_rank(1, 0);
      });
}

void add_reference_forms(OpCatalog& catalog) {
  catalog.add(make_enter_op(loops::ref_enter, /*is_reference=*/true));
  catalog.add(make_forwarding_op(loops::ref_exit, true, "As Exit, of a reference to a variable."));
  catalog.add(make_forwarding_op(
      loops::ref_next_iteration, true, "As NextIteration, of a reference to a variable."));
  catalog.add(make_switch_op());
  catalog.add(Op(loops::ref_merge)
      .doc("As Merge, of references to variables.")
      .ref_inputs("inputs", "T", "N")
      .ref_output("output", "T")
      .output("value_index", DType::int32)
      .attr("T", AttrType::dtype)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .infer_shape(loops::infer_merge));
  catalog.add(Op("RefSelect")
      .doc("The reference among `inputs` that `index` names.")
      .input("index", DType::int32)
      .ref_inputs("inputs", "T", "N")
      .ref_output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .infer_shape([](ShapeInference& s) {
        auto shape = s.input(1);
        for (int i = 2; i < s.input_count(); ++i) shape = loops::common_shape(shape, s.input(i));
        s.set(0, shape);
        return s.need_rank(0, 0);
      }));
}

}  // namespace

Shape loops::common_shape(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return Shape::unknown_rank();
  auto common = a;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (a[axis] != b[axis]) common.set(axis, Shape::unknown);
  return common;
}

Status loops::infer_merge(ShapeInference& s) {
  auto shape = s.input(0);
  for (int i = 1; i < s.input_count(); ++i) shape = common_shape(shape, s.input(i));
  s.set(0, shape);
  s.set(1, Shape());
  return {};
}

void add_loops_ops(OpCatalog& catalog) {
  catalog.add(make_enter_op(loops::enter, /*is_reference=*/false));
  catalog.add(make_forwarding_op(
      loops::exit, false, "Gives `data`, of a loop's last iteration, to what is around the loop."));
  catalog.add(make_forwarding_op(
      loops::next_iteration, false, "Gives `data` to the next iteration of its loop."));
  catalog.add(Op(loops::loop_cond)
      .doc("Whether the loop goes on: what the Switches of its variables choose by.")
      .input("input", DType::boolean)
      .output("output", DType::boolean)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return s.need_rank(0, 0);
      }));
  catalog.add(Op("ControlTrigger")
      .doc("Does nothing, as NoOp, but also where what it waits for is dead.")
      .infer_shape(shapes::none()));
  catalog.add(Op("Abort")
      .doc("Ends the step with Aborted and `error_msg`. (In TensorFlow it ends the process, or\n"
           "where `exit_without_error` is set, ends it as if all were well; a client cannot end a\n"
           "node here.)")
      .attr("error_msg", "")
      .attr("exit_without_error", false)
      .infer_shape(shapes::none()));
  add_reference_forms(catalog);
}

}  // namespace troupe
