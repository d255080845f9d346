#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

void pass_on(Gradient& g) { g.to_input(0, g.dy()); }

/// Output 0 has the shape of input 0, which must agree with the attribute `shape`.
Status infer_agreeing(ShapeInference& s) {
  const auto& wanted = s.attr<Shape>("shape");
  auto shape = s.input(0).merge(wanted);
  if (!shape)
    return invalid_argument(
        "a tensor of shape " + s.input(0).to_string() + " does not have the shape " +
        wanted.to_string() + " of attribute 'shape'");
  s.set(0, *shape);
  return {};
}

/// The default's shape must agree, but what is fed need only have the shape of the attribute.
Status infer_placeholder(ShapeInference& s) {
  auto status = infer_agreeing(s);
  s.set(0, s.attr<Shape>("shape"));
  return status;
}

void add_shape_checks(OpCatalog& catalog) {
  catalog.add(Op("PlaceholderWithDefault")
      .doc("The input, unless the step feeds another value, of the shape in attribute `shape`.")
      .input("input", "dtype")
      .output("output", "dtype")
      .attr("dtype", AttrType::dtype)
      .attr("shape", AttrType::shape)
      .infer_shape(infer_placeholder)
      .gradient(pass_on));
  catalog.add(Op("EnsureShape")
      .doc("The same tensor; an error where it does not have the shape in attribute `shape`, in "
           "which sizes may be unknown.")
      .input("input", "T")
      .output("output", "T")
      .attr("shape", AttrType::shape)
      .attr("T", AttrType::dtype)
      .infer_shape(infer_agreeing)
      .gradient(pass_on));
}

void add_value_checks(OpCatalog& catalog) {
  catalog.add(Op("CheckNumerics")
      .doc("The same tensor; an error with `message` where an element is infinite or NaN.")
      .input("tensor", "T")
      .output("output", "T")
      .attr("T", floating())
      .attr("message", AttrType::string)
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) {
        auto message = "the gradient is infinite or not a number. " +
                       g.node().attr<std::string>("message");
        g.to_input(0, g.op("CheckNumerics", {g.dy()}, {{"message", message}}));
      }));
  catalog.add(Op("Assert")
      .doc("Fails, showing the first `summarize` elements (all, if that is negative) of each of "
           "`data`, where the condition, a scalar, is false.")
      .input("condition", DType::boolean)
      .inputs("data", "T")
      .attr("T", AttrType::dtypes)
      .attr_at_least("T", 1)
      .attr("summarize", 3)
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .gradient(not_differentiable)
      .stateful());
}

void add_copies_of_values(OpCatalog& catalog) {
  catalog.add(Op("PreventGradient")
      .doc("The same tensor; there are no gradients through it, for the reason in `message`.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("message", "")
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) {
        g.fail(invalid_argument(
                   "there is no gradient through this node: " +
                   g.node().attr<std::string>("message"))
                   .at({.node = g.node().name, .op = g.node().op->name()}));
      }));
  catalog.add(Op("Snapshot")
      .doc("The same tensor.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::same_as_input()));
  catalog.add(Op("DeepCopy")
      .doc("A copy of x in memory of its own.")
      .input("x", "T")
      .output("y", "T")
      .attr("T", all_dtypes())
      .infer_shape(shapes::same_as_input())
      .stateful());
  for (auto name : {"Copy", "CopyHost"})
    catalog.add(Op(name)
        .doc("A copy of the input in memory of its own. The attributes, for TensorFlow's "
             "debugger, have no effect.")
        .input("input", "T")
        .output("output", "T")
        .attr("T", all_dtypes())
        .attr("tensor_name", "")
        .attr("debug_ops_spec", AttrValue(std::vector<std::string>()))
        .infer_shape(shapes::same_as_input()));
}

/// How often the placeholder of a StringFormat stands in its template must be the number of inputs.
Status infer_string_format(ShapeInference& s) {
  const auto& text = s.attr<std::string>("template");
  const auto& mark = s.attr<std::string>("placeholder");
  if (mark.empty()) return invalid_argument("attribute 'placeholder' must not be empty");
  int count = 0;
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size()) ++count;
  if (count != s.input_count())
    return invalid_argument(
        "the template has " + std::to_string(count) + " placeholders, but there are " +
        std::to_string(s.input_count()) + " inputs");
  s.set(0, {});
  return {};
}

void add_prints(OpCatalog& catalog) {
  catalog.add(Op("Print")
      .doc("The input. Writes `message` and the first `summarize` elements (all, if that is "
           "negative) of each of `data` to the standard error of its task: the first `first_n` "
           "times of a step's plan, or always if that is negative.")
      .input("input", "T")
      .inputs("data", "U")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("U", AttrType::dtypes)
      .attr("message", "")
      .attr("first_n", -1)
      .attr("summarize", 3)
      .infer_shape(shapes::same_as_input())
      .gradient(pass_on)
      .stateful());
  catalog.add(Op("PrintV2")
      .doc("Writes the input, a scalar, and `end` to the standard error or standard output of its "
           "task, or at the end of a file; what is for a log goes to the standard error too.")
      .input("input", DType::string)
      .attr("output_stream", "stderr")
      .attr("end", "\n")
      .infer_shape([](ShapeInference& s) {
        const auto& stream = s.attr<std::string>("output_stream");
        auto known = {"stderr", "stdout", "log(info)", "log(warning)", "log(error)"};
        if (!stream.starts_with("file://") && !std::ranges::count(known, stream))
          return invalid_argument(
              "attribute 'output_stream' must be stderr, stdout, log(info), log(warning), "
              "log(error) or file://<path>, but is \"" + stream + "\"");
        return s.need_rank(0, 0);
      })
      .stateful());
  catalog.add(Op("StringFormat")
      .doc("The template with each placeholder replaced by one of the inputs, of which it shows "
           "`summarize` elements at both ends of each axis, or all if that is negative.")
      .inputs("inputs", "T")
      .output("output", DType::string)
      .attr("T", AttrType::dtypes)
      .attr("template", "%s")
      .attr("placeholder", "%s")
      .attr("summarize", 3)
      .infer_shape(infer_string_format)
      .gradient(not_differentiable));
}

}  // namespace

void add_checks_ops(OpCatalog& catalog) {
  add_shape_checks(catalog);
  add_value_checks(catalog);
  add_copies_of_values(catalog);
  add_prints(catalog);
  catalog.add(Op("Timestamp")
      .doc("The time in seconds since the beginning of 1970, UTC.")
      .output("ts", DType::float64)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable)
      .stateful());
  catalog.add(Op("BroadcastArgs")
      .doc("The shape of tensors of two shapes broadcast together.")
      .input("s0", "T")
      .input("s1", "T")
      .output("r0", "T")
      .attr("T", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        auto x = s.input_as_shape(0), y = s.input_as_shape(1);
        for (const auto* shape : {&x, &y})
          if (!*shape) return shape->status();
        auto both = broadcast(*x, *y);
        if (!both) return both.status();
        s.set(0, {both->has_rank() ? both->rank() : Shape::unknown});
        return Status();
      })
      .gradient(not_differentiable));
}

}  // namespace troupe
