#include <initializer_list>
#include <string>
#include <vector>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/state/element_shapes.hpp"
#include "troupe/graph/ops/data_flow/tensor_list_gradients.hpp"

namespace troupe {

namespace {

// -- shapes

/// Output 0 is a list. The inputs that are said are scalars, and one is the shape of elements.
Op::InferShape list_of(std::vector<int> scalars, int element_shape = -1) {
  return [=](ShapeInference& s) -> Status {
    s.set(0, Shape());
    for (auto input : scalars)
      if (auto status = s.need_rank(input, 0); !status.ok()) return status;
    return element_shape < 0 ? Status() : element_shape_input(s, element_shape).status();
  };
}

Status infer_item(ShapeInference& s) {
  auto shape = element_shape_input(s, 2);
  if (shape) s.set(0, *shape);
  return shape ? need_scalar_inputs(s, {0, 1}) : shape.status();
}

Status infer_pop(ShapeInference& s) {
  auto shape = element_shape_input(s, 1);
  s.set(0, Shape());
  if (shape) s.set(1, *shape);
  return shape ? need_scalar_inputs(s, {0}) : shape.status();
}

Status infer_stack(ShapeInference& s) {
  auto shape = element_shape_input(s, 1);
  if (shape) s.set(0, rows_of_elements(s.attr<int64_t>("num_elements"), *shape));
  return shape ? need_scalar_inputs(s, {0}) : shape.status();
}

Status infer_list_gather(ShapeInference& s) {
  if (auto status = need_scalar_inputs(s, {0}); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto shape = element_shape_input(s, 2);
  const auto& indices = s.input(1);
  if (shape) s.set(0, rows_of_elements(indices.has_rank() ? indices[0] : Shape::unknown, *shape));
  return shape.status();
}

Status set_concatenated(ShapeInference& s, const Shape& element) {
  auto has_rows = element.has_rank() && element.rank() > 0;
  s.set(0, has_rows ? rows_of_elements(Shape::unknown, without_rows(element))
                    : Shape::unknown_rank());
  s.set(1, Shape::of_rank(1));
  return need_scalar_inputs(s, {0});
}

Status infer_from_tensor(ShapeInference& s) {
  s.set(0, Shape());
  if (s.input(0).is_scalar()) return invalid_argument("a scalar has no rows to make a list of");
  auto shape = element_shape_input(s, 1);
  return shape ? shape->merge(without_rows(s.input(0))).status() : shape.status();
}

Status infer_scatter(ShapeInference& s, int value, int indices) {
  s.set(0, Shape());
  if (auto status = s.need_rank(indices, 1); !status.ok()) return status;
  return check_row_indices(s.input(indices), s.input(value));
}

Status infer_list_split(ShapeInference& s) {
  s.set(0, Shape());
  if (s.input(0).is_scalar()) return invalid_argument("a scalar cannot be split");
  if (auto status = s.need_rank(2, 1); !status.ok()) return status;
  return element_shape_input(s, 1).status();
}

// -- ops

void add_list_making_ops(OpCatalog& catalog) {
  catalog.add(Op("EmptyTensorList")
      .doc("A list without elements: tensors of one dtype, and of shapes that `element_shape`,\n"
           "sizes with -1 for any, or -1 for all, allows. It takes `max_num_elements`, -1 for any\n"
           "number.")
      .input("element_shape", "shape_type")
      .input("max_num_elements", DType::int32)
      .output("handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape(list_of({1}, 0))
      .gradient(not_differentiable));

  catalog.add(Op("TensorListReserve")
      .doc("A list of elements that are not set yet, which count as zeros.")
      .input("element_shape", "shape_type")
      .input("num_elements", DType::int32)
      .output("handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape(list_of({1}, 0))
      .gradient(not_differentiable));

  catalog.add(Op("TensorListFromTensor")
      .doc("A list of the rows of a tensor.")
      .input("tensor", "element_dtype")
      .input("element_shape", "shape_type")
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape(infer_from_tensor)
      .gradient(tensor_list::gradient_of_from_tensor));

  catalog.add(Op("TensorListSplit")
      .doc("A list of the parts of a tensor, of those lengths along axis 0.")
      .input("tensor", "element_dtype")
      .input("element_shape", "shape_type")
      .input("lengths", DType::int64)
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape(infer_list_split)
      .gradient(tensor_list::gradient_of_split));
}

void add_list_scattering_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorListScatter")
      .doc("A list with row i of a tensor as its element `indices[i]`, as long as the last of\n"
           "these asks for.")
      .input("tensor", "element_dtype")
      .input("indices", DType::int32)
      .input("element_shape", "shape_type")
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape([](ShapeInference& s) { return infer_scatter(s, 0, 1); })
      .gradient(tensor_list::gradient_of_scatter));

  catalog.add(Op("TensorListScatterV2")
      .doc("As TensorListScatter, with `num_elements` elements, where that is not -1.")
      .input("tensor", "element_dtype")
      .input("indices", DType::int32)
      .input("element_shape", "shape_type")
      .input("num_elements", DType::int32)
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape([](ShapeInference& s) { return infer_scatter(s, 0, 1); })
      .gradient(tensor_list::gradient_of_scatter));

  catalog.add(Op("TensorListScatterIntoExistingList")
      .doc("The list with row i of a tensor as its element `indices[i]`; it grows where it is\n"
           "shorter.")
      .input("input_handle", DType::variant)
      .input("tensor", "element_dtype")
      .input("indices", DType::int32)
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .infer_shape([](ShapeInference& s) { return infer_scatter(s, 1, 2); })
      .gradient(tensor_list::gradient_of_scatter_into));
}

void add_list_end_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorListPushBack")
      .doc("The list with one more element at its end.")
      .input("input_handle", DType::variant)
      .input("tensor", "element_dtype")
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .infer_shape(list_of({0}))
      .gradient(tensor_list::gradient_of_push));

  catalog.add(Op("TensorListPopBack")
      .doc("The list without its last element, and that.")
      .input("input_handle", DType::variant)
      .input("element_shape", DType::int32)
      .output("output_handle", DType::variant)
      .output("tensor", "element_dtype")
      .attr("element_dtype", AttrType::dtype)
      .infer_shape(infer_pop)
      .gradient(tensor_list::gradient_of_pop));
}

void add_list_element_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorListGetItem")
      .doc("Element `index`; zeros where it is not set and its shape is known, from\n"
           "`element_shape`, the list or its other elements.")
      .input("input_handle", DType::variant)
      .input("index", DType::int32)
      .input("element_shape", "Tshape")
      .output("item", "element_dtype")
      .attr("element_dtype", AttrType::dtype)
      .attr("Tshape", indexing(), DType::int32)  // of TensorFlow 2
      .infer_shape(infer_item)
      .gradient(tensor_list::gradient_of_get));

  catalog.add(Op("TensorListSetItem")
      .doc("The list with that tensor as its element `index`, which it has already, or it grows\n"
           "where `resize_if_index_out_of_bounds` is set, as TensorFlow 2 has it.")
      .input("input_handle", DType::variant)
      .input("index", DType::int32)
      .input("item", "element_dtype")
      .output("output_handle", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .attr("resize_if_index_out_of_bounds", false)
      .infer_shape(list_of({0, 1}))
      .gradient(tensor_list::gradient_of_set));

  catalog.add(Op("TensorListResize")
      .doc("The list with `size` elements: without those behind, or with more that are not set.")
      .input("input_handle", DType::variant)
      .input("size", DType::int32)
      .output("output_handle", DType::variant)
      .infer_shape(list_of({0, 1}))
      .gradient(tensor_list::gradient_of_resize));

  catalog.add(Op("TensorListLength")
      .doc("The number of elements.")
      .input("input_handle", DType::variant)
      .output("length", DType::int32)
      .infer_shape(list_of({0}))
      .gradient(not_differentiable));

  catalog.add(Op("TensorListElementShape")
      .doc("What is known of the shape of all elements: sizes with -1 for one that is not, or -1.")
      .input("input_handle", DType::variant)
      .output("element_shape", "shape_type")
      .attr("shape_type", indexing())
      .infer_shape([](ShapeInference& s) { return need_scalar_inputs(s, {0}); })
      .gradient(not_differentiable));
}

void add_list_joining_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorListStack")
      .doc("The elements, which have one shape, as the rows of a tensor. They have to be\n"
           "`num_elements`, where that is not -1.")
      .input("input_handle", DType::variant)
      .input("element_shape", DType::int32)
      .output("tensor", "element_dtype")
      .attr("element_dtype", AttrType::dtype)
      .attr("num_elements", -1)
      .infer_shape(infer_stack)
      .gradient(tensor_list::gradient_of_stack));

  catalog.add(Op("TensorListGather")
      .doc("The elements at `indices`, which have one shape, as the rows of a tensor.")
      .input("input_handle", DType::variant)
      .input("indices", DType::int32)
      .input("element_shape", DType::int32)
      .output("values", "element_dtype")
      .attr("element_dtype", AttrType::dtype)
      .infer_shape(infer_list_gather)
      .gradient(tensor_list::gradient_of_gather));

  catalog.add(Op("TensorListConcat")
      .doc("All elements concatenated along axis 0, and how long each is there.")
      .input("input_handle", DType::variant)
      .output("tensor", "element_dtype")
      .output("lengths", DType::int64)
      .attr("element_dtype", AttrType::dtype)
      .attr("element_shape", Shape::unknown_rank())
      .infer_shape([](ShapeInference& s) {
        return set_concatenated(s, s.attr<Shape>("element_shape"));
      })
      .gradient(tensor_list::gradient_of_concat));

  catalog.add(Op("TensorListConcatV2")
      .doc("As TensorListConcat. An element that is not set has the length in `leading_dims`.")
      .input("input_handle", DType::variant)
      .input("element_shape", "shape_type")
      .input("leading_dims", DType::int64)
      .output("tensor", "element_dtype")
      .output("lengths", DType::int64)
      .attr("element_dtype", AttrType::dtype)
      .attr("shape_type", indexing())
      .infer_shape([](ShapeInference& s) -> Status {
        auto shape = element_shape_input(s, 1);
        return shape ? set_concatenated(s, *shape) : shape.status();
      })
      .gradient(tensor_list::gradient_of_concat));
}

void add_list_batch_ops(OpCatalog& catalog) {
  catalog.add(Op("TensorListPushBackBatch")
      .doc("Each of a vector of lists, with a row of the tensor as one more element.")
      .input("input_handles", DType::variant)
      .input("tensor", "element_dtype")
      .output("output_handles", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        auto status = s.need_rank(0, 1);
        return status.ok() ? check_row_indices(s.input(0), s.input(1)) : status;
      }));

  catalog.add(Op("TensorListConcatLists")
      .doc("The list of the elements of one list and then of the other; so for each pair of two\n"
           "tensors of lists.")
      .input("input_a", DType::variant)
      .input("input_b", DType::variant)
      .output("output", DType::variant)
      .attr("element_dtype", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        auto merged = s.input(0).merge(s.input(1));
        if (merged) s.set(0, *merged);
        return merged.status();
      }));
}

}  // namespace

// Lists of tensors, values that an op makes of another: what TensorFlow 2 makes of arrays in loops.
void add_tensor_list_ops(OpCatalog& catalog) {
  add_list_making_ops(catalog);
  add_list_scattering_ops(catalog);
  add_list_end_ops(catalog);
  add_list_element_ops(catalog);
  add_list_joining_ops(catalog);
  add_list_batch_ops(catalog);
}

}  // namespace troupe
