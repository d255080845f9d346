#include "troupe/graph/ops/data_flow/tensor_list_gradients.hpp"

#include <set>

#include "troupe/graph/ops/state/element_shapes.hpp"

namespace troupe::tensor_list {
namespace {

Value element_shape_of(Gradient& g, const Value& list) {
  return g.op("TensorListElementShape", {list}, {{"shape_type", DType::int32}});
}

Value length_of(Gradient& g, const Value& list) { return g.op("TensorListLength", {list}); }

/// What is known of the shape of an input's rows, as ops that read elements take it.
Value row_shape_of(Gradient& g, int input) {
  auto row = without_rows(g.in(input).shape());
  if (!row.has_rank()) return g.constant(-1);
  return g.ints({row.sizes().begin(), row.sizes().end()});
}

/// Of the rows at input `value`, which went to the elements at input `indices`.
Value gathered_rows(Gradient& g, int value, int indices) {
  return g.op(
      "TensorListGather", {g.dy(), g.in(indices), row_shape_of(g, value)},
      {{"element_dtype", g.in(value).dtype()}});
}

}  // namespace

void gradient_of_push(Gradient& g) {
  auto dtype = g.node().attr<DType>("element_dtype");
  auto shape = element_shape_of(g, g.out(0));
  auto popped = g.op("TensorListPopBack", {g.dy(), shape}, {{"element_dtype", dtype}});
  g.to_input(0, popped);
  if (g.wants(1)) g.to_input(1, popped.output(1));
}

void gradient_of_pop(Gradient& g) {
  auto dtype = g.node().attr<DType>("element_dtype");
  g.to_input(0, g.op("TensorListPushBack", {g.dy(0), g.dy(1)}, {{"element_dtype", dtype}}));
}

void gradient_of_get(Gradient& g) {
  auto list = g.in(0);
  auto zeros = g.op(
      "TensorListReserve", {element_shape_of(g, list), length_of(g, list)},
      {{"element_dtype", g.out(0).dtype()}});
  g.to_input(0, g.op("TensorListSetItem", {zeros, g.in(1), g.dy()}));
}

void gradient_of_set(Gradient& g) {
  const auto& item = g.in(2);
  g.to_input(0, g.op("TensorListSetItem", {g.dy(), g.in(1), g.zeros_like(item)}));
  if (!g.wants(2)) return;
  g.to_input(
      2, g.op("TensorListGetItem", {g.dy(), g.in(1), g.shape_of(item)},
              {{"element_dtype", item.dtype()}}));
}

void gradient_of_resize(Gradient& g) {
  g.to_input(0, g.op("TensorListResize", {g.dy(), length_of(g, g.in(0))}));
}

void gradient_of_stack(Gradient& g) {
  g.to_input(0, g.op("TensorListFromTensor", {g.dy(), element_shape_of(g, g.in(0))}));
}

void gradient_of_from_tensor(Gradient& g) {
  const auto& shape = g.in(0).shape();
  auto rows = shape.has_rank() ? shape[0] : Shape::unknown;
  g.to_input(
      0, g.op("TensorListStack", {g.dy(), row_shape_of(g, 0)},
              {{"element_dtype", g.in(0).dtype()}, {"num_elements", rows}}));
}

/// An element that was read several times gets the sum of the gradients of all reads.
void gradient_of_gather(Gradient& g) {
  auto list = g.in(0), indices = g.in(1), rows = g.dy();
  auto known = g.constant_ints(1);
  if (!known || std::set(known->begin(), known->end()).size() < known->size()) {
    auto unique = g.op("Unique", {indices});
    indices = unique;
    rows = g.op("UnsortedSegmentSum", {rows, unique.output(1), g.op("Size", {unique})});
  }
  g.to_input(
      0, g.op("TensorListScatterV2",
              {rows, indices, element_shape_of(g, list), length_of(g, list)}));
}

void gradient_of_scatter(Gradient& g) { g.to_input(0, gathered_rows(g, 0, 1)); }

void gradient_of_scatter_into(Gradient& g) {
  auto zeros = g.zeros_like(g.in(1));
  g.to_input(0, g.op("TensorListScatterIntoExistingList", {g.dy(), zeros, g.in(2)}));
  if (g.wants(1)) g.to_input(1, gathered_rows(g, 1, 2));
}

void gradient_of_concat(Gradient& g) {
  g.to_input(0, g.op("TensorListSplit", {g.dy(), element_shape_of(g, g.in(0)), g.out(1)}));
}

void gradient_of_split(Gradient& g) {
  g.to_input(
      0, g.op("TensorListConcatV2", {g.dy(), g.in(1), g.in(2)},
              {{"element_dtype", g.in(0).dtype()}}));
}

}  // namespace troupe::tensor_list
