#include <algorithm>

#include "troupe/graph/build/function_gradient.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

/// More than what has to become unknown of any usual loop. What still changes then is unknown.
constexpr int inference_rounds_max = 16;

/// The attribute output_shapes, where it is given, and what is known besides.
Status set_output_shapes(ShapeInference& s, const Shapes& known) {
  const auto& given = s.attr<Shapes>("output_shapes");
  if (!given.empty() && given.size() != known.size())
    return invalid_argument(
        "`output_shapes` must be the same length as num outputs (" + std::to_string(given.size()) +
        " vs. " + std::to_string(known.size()) + ")");
  for (size_t i = 0; i < known.size(); ++i) {
    auto both = given.empty() ? Result<Shape>(known[i]) : given[i].merge(known[i]);
    if (!both)
      return invalid_argument(
          "`output_shapes` says that output " + std::to_string(i) + " has the shape " +
          given[i].to_string() + ", but the functions give " + known[i].to_string());
    s.set(static_cast<int>(i), *both);
  }
  return {};
}

/// The inputs from number `first` on, of which the functions are.
struct FunctionInputs {
  DTypes dtypes;
  Shapes shapes;
};

FunctionInputs inputs_from(const ShapeInference& s, int first) {
  return {
      .dtypes = {s.input_dtypes().begin() + first, s.input_dtypes().end()},
      .shapes = {s.inputs().begin() + first, s.inputs().end()}};
}

Status infer_branches(ShapeInference& s, const FunctionRefs& branches) {
  auto inputs = inputs_from(s, 1);
  const auto& wanted = s.attr<DTypes>("Tout");
  Shapes common;
  for (const auto& branch : branches) {
    auto outputs = s.call(branch, inputs.dtypes, inputs.shapes);
    if (!outputs) return outputs.status();
    if (outputs->dtypes != wanted)
      return invalid_argument(
          "function '" + branch.name() + "' has the results " +
          AttrValue(outputs->dtypes).to_string() + ", but Tout is " +
          AttrValue(wanted).to_string());
    if (common.empty()) common = outputs->shapes;
    for (size_t i = 0; i < common.size(); ++i)
      common[i] = loops::common_shape(common[i], outputs->shapes[i]);
  }
  return set_output_shapes(s, common);
}

Status infer_if(ShapeInference& s) {
  return infer_branches(
      s, {s.attr<FunctionRef>("then_branch"), s.attr<FunctionRef>("else_branch")});
}

Status infer_case(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  return infer_branches(s, s.attr<FunctionRefs>("branches"));
}

ShapeInference::InferCall call_of(const ShapeInference& s) {
  return [&s](const FunctionRef& function, const DTypes& dtypes, const Shapes& shapes) {
    return s.call(function, dtypes, shapes);
  };
}

Status infer_while(ShapeInference& s) {
  auto inputs = inputs_from(s, 0);
  auto shapes = functional::loop_shapes(
      call_of(s), s.attr<FunctionRef>("body"), inputs.dtypes, inputs.shapes);
  if (!shapes) return shapes.status();
  auto condition = s.call(s.attr<FunctionRef>("cond"), inputs.dtypes, *shapes);
  if (!condition) return condition.status();
  if (condition->dtypes.size() != 1)
    return invalid_argument(
        "Expected a single scalar from the condition of a loop, but '" +
        s.attr<FunctionRef>("cond").name() + "' got " + std::to_string(condition->dtypes.size()) +
        " tensors.");
  return set_output_shapes(s, *shapes);
}

Status infer_for(ShapeInference& s) {
  const char* bounds[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i)
    if (!s.input(i).is_compatible_with(Shape()))
      return invalid_argument(
          std::string(bounds[i]) + " must be a scalar, but its shape is " +
          s.input(i).to_string());
  auto inputs = inputs_from(s, 3);
  auto iteration = [&s](const FunctionRef& body, DTypes dtypes, Shapes shapes) {
    dtypes.insert(dtypes.begin(), DType::int32);
    shapes.insert(shapes.begin(), Shape());
    return s.call(body, dtypes, shapes);
  };
  auto shapes = functional::loop_shapes(
      iteration, s.attr<FunctionRef>("body"), inputs.dtypes, inputs.shapes);
  if (!shapes)
    return Status(
        shapes.status().code(),
        shapes.status().message().starts_with("While ")
            ? "For " + shapes.status().message().substr(6)
            : shapes.status().message(),
        shapes.status().where());
  for (size_t i = 0; i < shapes->size(); ++i) s.set(static_cast<int>(i), (*shapes)[i]);
  return {};
}

Op make_if(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("cond", "Tcond")
      .inputs("input", "Tin")
      .outputs("output", "Tout")
      .attr("Tcond", AttrType::dtype)
      .attr("Tin", AttrType::dtypes)
      .attr("Tout", AttrType::dtypes)
      .attr("then_branch", AttrType::function)
      .attr("else_branch", AttrType::function)
      .attr("output_shapes", Shapes())
      .infer_shape(infer_if)
      .gradient(add_conditional_gradient);
}

Op make_while(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .inputs("input", "T")
      .outputs("output", "T")
      .attr("T", AttrType::dtypes)
      .attr("cond", AttrType::function)
      .attr("body", AttrType::function)
      .attr("output_shapes", Shapes())
      .attr("parallel_iterations", 10)
      .infer_shape(infer_while)
      .gradient(add_while_gradient);
}

void add_conditionals(OpCatalog& catalog) {
  catalog.add(make_if(
                  "If",
                  "The results of `then_branch` where `cond` is true, else those of\n"
                  "`else_branch`; only the nodes of that function run. A number is true unless it\n"
                  "is 0, a string unless it is empty, and what is no scalar if it has elements.")
                  .stateful());
  catalog.add(make_if("StatelessIf", "As If, of functions without stateful nodes."));
  catalog.add(Op("Case")
      .doc("The results of the function of that index; of the last one, where there is none.")
      .input("branch_index", DType::int32)
      .inputs("input", "Tin")
      .outputs("output", "Tout")
      .attr("Tin", AttrType::dtypes)
      .attr("Tout", AttrType::dtypes)
      .attr("branches", AttrType::functions)
      .attr_at_least("branches", 1)
      .attr("output_shapes", Shapes())
      .infer_shape(infer_case)
      .gradient(add_conditional_gradient)
      .stateful());
}

}  // namespace

Result<Shapes> functional::loop_shapes(
    const ShapeInference::InferCall& infer, const FunctionRef& body, const DTypes& dtypes,
    Shapes shapes) {
  for (int round = 0;; ++round) {
    auto next = infer(body, dtypes, shapes);
    if (!next) return next.status();
    if (next->dtypes.size() != dtypes.size())
      return invalid_argument(
          "While loop body returned " + std::to_string(next->dtypes.size()) +
          " arguments. Expected: " + std::to_string(dtypes.size()));
    if (next->dtypes != dtypes)
      return invalid_argument(
          "While loop body '" + body.name() + "' returned " +
          AttrValue(next->dtypes).to_string() + " for variables of the types " +
          AttrValue(dtypes).to_string());
    auto is_stable = true;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (dtypes[i] == DType::resource) continue;
      auto common = loops::common_shape(shapes[i], next->shapes[i]);
      if (common == shapes[i]) continue;
      is_stable = false;
      shapes[i] = round < inference_rounds_max ? common : Shape::unknown_rank();
    }
    if (is_stable) return shapes;
  }
}

// Branches and bodies are inlined between the ops of branches and loops (`passes/lower.hpp`).
void add_functional_control_ops(OpCatalog& catalog) {
  add_conditionals(catalog);
  catalog.add(make_while(
                  "While",
                  "The variables after the loop `while (cond(v)) v = body(v)`, which begins with\n"
                  "`input`. What `cond` gives is true as in If. At most `parallel_iterations` run\n"
                  "at once.")
                  .stateful());
  catalog.add(make_while("StatelessWhile", "As While, of functions without stateful nodes."));
  catalog.add(Op("For")
      .doc("The variables after the loop `for (i = start; i < limit; i += delta) v = body(i, v)`,\n"
           "or for a negative `delta` while `i > limit`; it begins with `input`. InvalidArgument\n"
           "where `delta` does not lead from `start` to `limit`.")
      .input("start", DType::int32)
      .input("limit", DType::int32)
      .input("delta", DType::int32)
      .inputs("input", "T")
      .outputs("output", "T")
      .attr("T", AttrType::dtypes)
      .attr("body", AttrType::function)
      .infer_shape(infer_for));
}

}  // namespace troupe
