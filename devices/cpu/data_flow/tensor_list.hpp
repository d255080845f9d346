#pragma once

#include <cstdint>
#include <memory>

#include "troupe/devices/cpu/state/element_rows.hpp"
#include "troupe/graph/types/variant.hpp"

namespace troupe::cpu {

/// Tensors of one dtype, whose shapes `element_shape` allows; one that is not set counts as zeros.
/// (TensorFlow: TensorList.)
struct TensorList final : VariantValue {
  DType dtype = DType::float32;
  Shape element_shape = Shape::unknown_rank();
  int64_t most = -1;  // TensorListPushBack adds up to so many elements; -1: any number
  Tensors elements = {};

  const char* type_name() const override { return "tensor list"; }
};

// Of what follows, all errors are InvalidArgument.

/// The list in that element of a tensor of variants; it lives as long as the tensor.
Result<const TensorList*> list_at(const Tensor& lists, int64_t index);
/// The list in a scalar input.
Result<const TensorList*> list_input(const Launch& launch, int index);
/// The list in a scalar input, to be changed: itself where nobody else holds it, so that a loop
/// that sets its elements copies none of them, and else a copy.
Result<std::shared_ptr<TensorList>> take_list(Launch& launch, int index);
/// Sets output 0 to a scalar that holds the list.
void set_list(Launch& launch, std::shared_ptr<TensorList> list);

Status check_dtype(const TensorList& list, DType dtype);
Status check_index(const TensorList& list, int64_t index);

/// A shape from the sizes in an input, with -1 for one that is not known, or from the scalar -1.
Result<Shape> element_shape_input(const Launch& launch, int index);
/// The shape of elements, of which an input and the list know something.
Result<Shape> known_shape(const Launch& launch, const TensorList& list, int input);
/// An element, of whose shape that is known; zeros where it is not set and the shape of it or of
/// other elements is known.
Result<Tensor> element_at(
    const Launch& launch, const ElementRows& rows, const TensorList& list, int64_t index,
    const Shape& known);

/// Element `index` becomes that one; the list grows where it is shorter.
Status put_element(TensorList& list, int64_t index, Tensor element);
/// Adds an element at the end, if `most` allows one more.
Status push(TensorList& list, Tensor element);

constexpr int64_t most_list_elements = int64_t{1} << 24;  // their handles take 128 MiB
/// The number of elements that a scalar input asks for: from `least` to that.
Result<int64_t> count_input(const Launch& launch, int index, int64_t least = 0);

/// The list with zeros as its elements.
Result<std::shared_ptr<TensorList>> list_zeros_like(
    const Launch& launch, const ElementRows& rows, const TensorList& list);
/// Adds the elements of another list, which has the same length, dtype and shapes.
Status add_elements(
    const Launch& launch, const ElementRows& rows, TensorList& list, const TensorList& other);

/// The kernels of lists whose elements lie where `rows` computes on them. A list itself is a value
/// of the host, of all devices.
void add_list_kernels(KernelCatalog& catalog, const ElementRows& rows);
/// Parts of it: what makes lists of rows, joins elements to rows, and what takes many lists.
void add_list_row_kernels(KernelCatalog& catalog, const ElementRows& rows);
void add_list_batch_kernels(KernelCatalog& catalog, const ElementRows& rows);

}  // namespace troupe::cpu
