#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

void add_branch_ops(OpCatalog& catalog) {
  catalog.add(Op("Switch")
      .doc("Gives `data` to output_true where `pred` is true, else to output_false. The other\n"
           "output is dead: what needs it does not run.")
      .input("data", "T")
      .input("pred", DType::boolean)
      .output("output_false", "T")
      .output("output_true", "T")
      .attr("T", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        s.set(1, s.input(0));
        return s.need_rank(1, 0);
      }));

  catalog.add(Op("Merge")
      .doc("Gives the first of its inputs that is there and not dead, and which it was. It waits\n"
           "for no other one; where all are dead, so are its outputs.")
      .inputs("inputs", "T", "N")
      .output("output", "T")
      .output("value_index", DType::int32)
      .attr("T", AttrType::dtype)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .infer_shape(loops::infer_merge));
}

/// Stacks of tensors that one step has for itself, on one device. The older forms have a reference
/// for a handle, and no bound.
void add_stack_ops(OpCatalog& catalog, bool is_reference) {
  auto name = [&](const char* op) { return std::string(op) + (is_reference ? "" : "V2"); };
  auto use = [&](const char* op) {
    if (is_reference) return Op(name(op)).ref_input("handle", DType::string);
    return Op(name(op)).input("handle", DType::resource);
  };
  auto stack = is_reference ? Op("Stack").ref_output("handle", DType::string)
                                  .doc("A stack that ends with the step.")
                            : Op("StackV2")
                                  .doc("A stack that ends with the step. `max_size` bounds its "
                                       "elements, where it is not\nnegative.")
                                  .input("max_size", DType::int32)
                                  .output("handle", DType::resource);
  catalog.add(std::move(stack)
      .attr("elem_type", AttrType::dtype)
      .attr("stack_name", "")
      .infer_shape([is_reference](ShapeInference& s) {
        s.set(0, is_reference ? Shape{2} : Shape());
        return Status();
      })
      .stateful());
  catalog.add(use("StackPush")
      .doc("Pushes `elem`, and gives it on.")
      .input("elem", "T")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("swap_memory", false)
      .infer_shape(shapes::same_as_input(1))
      .stateful());
  catalog.add(use("StackPop")
      .doc("Takes the top element; InvalidArgument where the stack is empty.")
      .output("elem", "elem_type")
      .attr("elem_type", AttrType::dtype)
      .infer_shape(shapes::none())
      .stateful());
  catalog.add(use("StackClose")
      .doc("Frees the stack before the step ends.")
      .infer_shape(shapes::none())
      .stateful());
}

}  // namespace

void add_control_flow_ops(OpCatalog& catalog) {
  add_branch_ops(catalog);
  for (bool is_reference : {true, false}) add_stack_ops(catalog, is_reference);
}

}  // namespace troupe
