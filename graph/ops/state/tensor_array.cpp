#include <initializer_list>
#include <string>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/state/element_shapes.hpp"

namespace troupe {
namespace {

// -- shapes

/// What the node that makes the handle says of the shape of elements.
Shape declared_element_shape(const ShapeInference& s) {
  return s.handle_attr<Shape>("element_shape").value_or(Shape::unknown_rank());
}

/// Of the ops that make an array.
Status infer_handle_and_flow(ShapeInference& s) {
  for (int output : {0, 1}) s.set(output, Shape());
  return s.need_rank(0, 0);
}

Status infer_write(ShapeInference& s) {
  s.set(0, Shape());
  if (auto status = need_scalar_inputs(s, {0, 1, 3}); !status.ok()) return status;
  return declared_element_shape(s).merge(s.input(2)).status();
}

Status infer_read(ShapeInference& s) {
  s.set(0, declared_element_shape(s));
  return need_scalar_inputs(s, {0, 1, 2});
}

Status infer_gather(ShapeInference& s) {
  if (auto status = need_scalar_inputs(s, {0, 2}); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto element = declared_element_shape(s).merge(s.attr<Shape>("element_shape"));
  if (!element) return element.status();
  const auto& indices = s.input(1);
  s.set(0, rows_of_elements(indices.has_rank() ? indices[0] : Shape::unknown, *element));
  return {};
}

Status infer_array_scatter(ShapeInference& s) {
  s.set(0, Shape());
  if (auto status = need_scalar_inputs(s, {0, 3}); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  if (auto status = check_row_indices(s.input(1), s.input(2)); !status.ok()) return status;
  return declared_element_shape(s).merge(without_rows(s.input(2))).status();
}

Status infer_concat(ShapeInference& s) {
  s.set(0, rows_of_elements(Shape::unknown, s.attr<Shape>("element_shape_except0")));
  s.set(1, Shape::of_rank(1));
  return need_scalar_inputs(s, {0, 1});
}

Status infer_split_into_array(ShapeInference& s) {
  s.set(0, Shape());
  if (auto status = need_scalar_inputs(s, {0, 3}); !status.ok()) return status;
  return s.need_rank(2, 1);
}

// -- gradients

/// A name for the call of gradients() that adds these nodes, and for it alone: its scope, without
/// scopes inside of it, such as those of loops.
std::string gradient_source(const std::string& prefix) {
  constexpr std::string_view scope = "gradients";
  auto begin = prefix.rfind(scope);
  while (begin != std::string::npos && begin > 0 && prefix[begin - 1] != '/')
    begin = prefix.rfind(scope, begin - 1);
  return prefix.substr(0, prefix.find('/', begin == std::string::npos ? 0 : begin));
}

struct GradientArray {
  Value handle;
  Value flow;
};

/// The gradient array of the array whose handle is input 0. It is made when `flow` is there: after
/// all that comes before it, as an array that grows has its size only then.
GradientArray gradient_array(Gradient& g, const Value& flow) {
  auto handle = g.op(
      "TensorArrayGradV3", {g.in(0), flow}, {{"source", gradient_source(g.prefix())}});
  return {handle, g.after({handle}).identity(flow)};
}

void gradient_of_read(Gradient& g) {
  auto array = gradient_array(g, g.in(2));
  g.to_input(2, g.op("TensorArrayWriteV3", {array.handle, g.in(1), g.dy(), array.flow}));
}

void gradient_of_write(Gradient& g) {
  g.pass_on(3);
  if (!g.wants(2)) return;
  auto array = gradient_array(g, g.dy());
  g.to_input(
      2, g.op("TensorArrayReadV3", {array.handle, g.in(1), array.flow},
              {{"dtype", g.in(2).dtype()}}));
}

void gradient_of_gather(Gradient& g) {
  auto array = gradient_array(g, g.in(2));
  g.to_input(2, g.op("TensorArrayScatterV3", {array.handle, g.in(1), g.dy(), array.flow}));
}

void gradient_of_scatter(Gradient& g) {
  g.pass_on(3);
  if (!g.wants(2)) return;
  auto array = gradient_array(g, g.dy());
  g.to_input(
      2, g.op("TensorArrayGatherV3", {array.handle, g.in(1), array.flow},
              {{"dtype", g.in(2).dtype()}, {"element_shape", without_rows(g.in(2).shape())}}));
}

void gradient_of_concat(Gradient& g) {
  auto array = gradient_array(g, g.in(1));
  g.to_input(1, g.op("TensorArraySplitV3", {array.handle, g.dy(), g.out(1), array.flow}));
}

void gradient_of_split(Gradient& g) {
  g.pass_on(3);
  if (!g.wants(1)) return;
  auto array = gradient_array(g, g.dy());
  g.to_input(
      1, g.op("TensorArrayConcatV3", {array.handle, array.flow},
              {{"dtype", g.in(1).dtype()},
               {"element_shape_except0", without_rows(g.in(1).shape())}}));
}

// -- ops

void add_making_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorArrayV3")
      .doc("An array of `size` tensors, each written once, that ends with the step. What is done\n"
           "with it is ordered by flows: each op waits for that which it is given. A write beyond\n"
           "the end grows it where `dynamic_size` is set; a read frees the element unless\n"
           "`clear_after_read` is false.")
      .input("size", DType::int32)
      .output("handle", DType::resource)
      .output("flow", DType::float32)
      .attr("dtype", AttrType::dtype)
      .attr("element_shape", Shape::unknown_rank())
      .attr("dynamic_size", false)
      .attr("clear_after_read", true)
      .attr("identical_element_shapes", false)
      .attr("tensor_array_name", "")
      .infer_shape(infer_handle_and_flow)
      .gradient(not_differentiable)
      .stateful());

  catalog.add(Op("TensorArrayGradV3")
      .doc("The array's gradient array of that source, which is made at its first use. It sums\n"
           "what is written to an element, and has zeros where nothing is. The array itself\n"
           "cannot grow any more.")
      .input("handle", DType::resource)
      .input("flow_in", DType::float32)
      .output("grad_handle", DType::resource)
      .output("flow_out", DType::float32)
      .attr("source", AttrType::string)
      .infer_shape(infer_handle_and_flow)
      .gradient(not_differentiable)
      .stateful());

  catalog.add(Op("TensorArrayGradWithShape")
      .doc("As TensorArrayGradV3; the shapes of its elements begin with `shape_to_prepend`.")
      .input("handle", DType::resource)
      .input("flow_in", DType::float32)
      .input("shape_to_prepend", DType::int32)
      .output("grad_handle", DType::resource)
      .output("flow_out", DType::float32)
      .attr("source", AttrType::string)
      .infer_shape(infer_handle_and_flow)
      .gradient(not_differentiable)
      .stateful());
}

void add_element_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorArrayWriteV3")
      .doc("Writes element `index`, which nothing may have written or read yet.")
      .input("handle", DType::resource)
      .input("index", DType::int32)
      .input("value", "T")
      .input("flow_in", DType::float32)
      .output("flow_out", DType::float32)
      .attr("T", AttrType::dtype)
      .infer_shape(infer_write)
      .gradient(gradient_of_write)
      .stateful());

  catalog.add(Op("TensorArrayReadV3")
      .doc("Element `index`; zeros where it was not written and its shape is known.")
      .input("handle", DType::resource)
      .input("index", DType::int32)
      .input("flow_in", DType::float32)
      .output("value", "dtype")
      .attr("dtype", AttrType::dtype)
      .infer_shape(infer_read)
      .gradient(gradient_of_read)
      .stateful());

  catalog.add(Op("TensorArraySizeV3")
      .doc("The number of elements.")
      .input("handle", DType::resource)
      .input("flow_in", DType::float32)
      .output("size", DType::int32)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return s.need_rank(0, 0);
      })
      .gradient(not_differentiable)
      .stateful());

  catalog.add(Op("TensorArrayCloseV3")
      .doc("Frees the elements before the step ends; the array cannot be used any more.")
      .input("handle", DType::resource)
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .gradient(not_differentiable)
      .stateful());
}

void add_joining_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorArrayGatherV3")
      .doc("The elements at `indices`, which have one shape, as the rows of a tensor.")
      .input("handle", DType::resource)
      .input("indices", DType::int32)
      .input("flow_in", DType::float32)
      .output("value", "dtype")
      .attr("dtype", AttrType::dtype)
      .attr("element_shape", Shape::unknown_rank())
      .infer_shape(infer_gather)
      .gradient(gradient_of_gather)
      .stateful());

  catalog.add(Op("TensorArrayScatterV3")
      .doc("Writes the rows of `value` to the elements at `indices`.")
      .input("handle", DType::resource)
      .input("indices", DType::int32)
      .input("value", "T")
      .input("flow_in", DType::float32)
      .output("flow_out", DType::float32)
      .attr("T", AttrType::dtype)
      .infer_shape(infer_array_scatter)
      .gradient(gradient_of_scatter)
      .stateful());

  catalog.add(Op("TensorArrayConcatV3")
      .doc("All elements concatenated along axis 0, and how long each is there.")
      .input("handle", DType::resource)
      .input("flow_in", DType::float32)
      .output("value", "dtype")
      .output("lengths", DType::int64)
      .attr("dtype", AttrType::dtype)
      .attr("element_shape_except0", Shape::unknown_rank())
      .infer_shape(infer_concat)
      .gradient(gradient_of_concat)
      .stateful());

  catalog.add(Op("TensorArraySplitV3")
      .doc("Splits `value` along axis 0 into parts of those lengths, and writes each to the next\n"
           "element: as many as the array has, or it grows.")
      .input("handle", DType::resource)
      .input("value", "T")
      .input("lengths", DType::int64)
      .input("flow_in", DType::float32)
      .output("flow_out", DType::float32)
      .attr("T", AttrType::dtype)
      .infer_shape(infer_split_into_array)
      .gradient(gradient_of_split)
      .stateful());
}

}  // namespace

// Arrays of tensors, which loops write and read.
void add_tensor_array_ops(OpCatalog& catalog) {
  add_making_ops(catalog);
  add_element_ops(catalog);
  add_joining_ops(catalog);
}

}  // namespace troupe
