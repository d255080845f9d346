#include "troupe/devices/cpu/data_flow/tensor_list.hpp"

#include <string>
#include <utility>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Status check_element(const TensorList& list, const Tensor& element) {
  if (auto status = check_dtype(list, element.dtype()); !status.ok()) return status;
  if (element.shape().is_compatible_with(list.element_shape)) return {};
  return invalid_argument(
      "an element of the shape " + element.shape().to_string() +
      " does not fit into a list of elements of the shape " + list.element_shape.to_string());
}

/// Zeros for an element that is not set. Where its shape is not `known`, it is that of the others.
Result<Tensor> unset_element(
    const Launch& launch, const ElementRows& rows, const TensorList& list, Shape known) {
  for (const auto& other : list.elements) {
    if (known.is_known()) break;
    if (!other.is_set()) continue;
    auto merged = known.merge(other.shape());
    if (!merged) return merged.status();
    known = *merged;
  }
  if (known.is_known() && list.dtype == DType::string)
    return rows.allocate(launch, list.dtype, known);
  if (known.is_known()) return rows.zeros(launch, list.dtype, known);
  return invalid_argument(
      "the element is not set, and of its shape only " + known.to_string() + " is known");
}

}  // namespace

Status check_dtype(const TensorList& list, DType dtype) {
  if (list.dtype == dtype) return {};
  return invalid_argument(
      std::string("the list's elements are ") + to_string(list.dtype) + ", not " +
      to_string(dtype));
}

Result<const TensorList*> list_at(const Tensor& lists, int64_t index) {
  const auto* list = dynamic_cast<const TensorList*>(lists.data<Variant>()[index].get());
  if (!list) return invalid_argument("the variant must hold a tensor list");
  return list;
}

Result<const TensorList*> list_input(const Launch& launch, int index) {
  const auto& given = launch.input(index);
  if (given.shape().is_scalar()) return list_at(given, 0);
  return invalid_argument(
      "a list must be a scalar, but has the shape " + given.shape().to_string());
}

Result<std::shared_ptr<TensorList>> take_list(Launch& launch, int index) {
  auto list = list_input(launch, index);
  if (!list) return list.status();
  auto given = launch.take_input(index);
  if (given.is_sole_owner() && given.value<Variant>().use_count() == 1)
    return std::const_pointer_cast<TensorList>(
        std::static_pointer_cast<const TensorList>(given.value<Variant>()));
  return std::make_shared<TensorList>(**list);
}

void set_list(Launch& launch, std::shared_ptr<TensorList> list) {
  launch.set(0, Tensor::scalar<Variant>(std::move(list)));
}

Status check_index(const TensorList& list, int64_t index) {
  auto size = static_cast<int64_t>(list.elements.size());
  if (index >= 0 && index < size) return {};
  return invalid_argument(
      "there is no element " + std::to_string(index) + " in a list of " + std::to_string(size));
}

Result<Shape> element_shape_input(const Launch& launch, int index) {
  const auto& given = launch.input(index);
  auto sizes = IntInput::of(given);
  if (!sizes) return sizes.status();
  if (given.shape().is_scalar()) {
    if ((*sizes)[0] == Shape::unknown) return Shape::unknown_rank();
    return invalid_argument(
        "a shape that is a scalar must be -1, not " + std::to_string((*sizes)[0]));
  }
  auto shape = Shape::of_rank(sizes->count());
  for (int axis = 0; axis < sizes->count(); ++axis) {
    if ((*sizes)[axis] < Shape::unknown)
      return invalid_argument("a size of a shape cannot be " + std::to_string((*sizes)[axis]));
    shape.set(axis, (*sizes)[axis]);
  }
  return shape;
}

Result<Shape> known_shape(const Launch& launch, const TensorList& list, int input) {
  auto given = element_shape_input(launch, input);
  return given ? given->merge(list.element_shape) : given;
}

Result<Tensor> element_at(
    const Launch& launch, const ElementRows& rows, const TensorList& list, int64_t index,
    const Shape& known) {
  if (auto status = check_index(list, index); !status.ok()) return status;
  const auto& element = list.elements[static_cast<size_t>(index)];
  return element.is_set() ? Result<Tensor>(element) : unset_element(launch, rows, list, known);
}

Status put_element(TensorList& list, int64_t index, Tensor element) {
  if (auto status = check_element(list, element); !status.ok()) return status;
  if (index < 0) return invalid_argument("there is no element " + std::to_string(index));
  if (index >= static_cast<int64_t>(list.elements.size()))
    list.elements.resize(static_cast<size_t>(index) + 1);
  list.elements[static_cast<size_t>(index)] = std::move(element);
  return {};
}

Status push(TensorList& list, Tensor element) {
  if (list.most >= 0 && static_cast<int64_t>(list.elements.size()) >= list.most)
    return invalid_argument(
        "the list is full: it takes " + std::to_string(list.most) + " elements");
  return put_element(list, static_cast<int64_t>(list.elements.size()), std::move(element));
}

Result<int64_t> count_input(const Launch& launch, int index, int64_t least) {
  auto count = scalar_input(launch.input(index), "the number of elements");
  if (!count || (*count >= least && *count <= most_list_elements)) return count;
  return invalid_argument(
      "a list cannot have " + std::to_string(*count) + " elements: from " + std::to_string(least) +
      " to " + std::to_string(most_list_elements));
}

namespace {

Status push_back(Launch& launch) {
  auto list = take_list(launch, 0);
  if (!list) return list.status();
  if (auto status = push(**list, launch.take_input(1)); !status.ok()) return status;
  set_list(launch, *std::move(list));
  return {};
}

Status pop_back(Launch& launch, const ElementRows& rows, DType dtype) {
  auto list = take_list(launch, 0);
  if (!list) return list.status();
  auto& elements = (*list)->elements;
  if (elements.empty()) return invalid_argument("the list is empty");
  auto known = known_shape(launch, **list, 1);
  auto status = known ? check_dtype(**list, dtype) : known.status();
  if (!status.ok()) return status;
  auto last = static_cast<int64_t>(elements.size()) - 1;
  auto element = element_at(launch, rows, **list, last, *known);
  if (!element) return element.status();
  elements.pop_back();
  set_list(launch, *std::move(list));
  launch.set(1, *std::move(element));
  return {};
}

Status get_item(Launch& launch, const ElementRows& rows, DType dtype) {
  auto list = list_input(launch, 0);
  if (!list) return list.status();
  auto index = scalar_input(launch.input(1), "the index");
  auto known = known_shape(launch, **list, 2);
  if (!index || !known) return index ? known.status() : index.status();
  if (auto status = check_dtype(**list, dtype); !status.ok()) return status;
  auto element = element_at(launch, rows, **list, *index, *known);
  if (element) launch.set(0, *std::move(element));
  return element.status();
}

Status set_item(Launch& launch, bool grows) {
  auto index = scalar_input(launch.input(1), "the index");
  if (!index) return index.status();
  auto list = take_list(launch, 0);
  if (!list) return list.status();
  auto grown = grows && *index < most_list_elements;
  auto status = grown ? Status() : check_index(**list, *index);
  if (status.ok()) status = put_element(**list, *index, launch.take_input(2));
  if (status.ok()) set_list(launch, *std::move(list));
  return status;
}

Result<Kernel> make_set_item(const Node& node) {
  auto grows = node.attr<bool>("resize_if_index_out_of_bounds");
  return Kernel{.compute = [grows](Launch& launch) { return set_item(launch, grows); }};
}

Status resize(Launch& launch) {
  auto size = count_input(launch, 1);
  auto list = take_list(launch, 0);
  if (!size || !list) return size ? list.status() : size.status();
  (*list)->elements.resize(static_cast<size_t>(*size));
  set_list(launch, *std::move(list));
  return {};
}

Status give_length(Launch& launch) {
  auto list = list_input(launch, 0);
  if (!list) return list.status();
  return set_int(launch, 0, DType::int32, static_cast<int64_t>((*list)->elements.size()));
}

Result<Kernel> make_element_shape(const Node& node) {
  auto dtype = node.attr<DType>("shape_type");
  return Kernel{.compute = [dtype](Launch& launch) -> Status {
    auto list = list_input(launch, 0);
    if (!list) return list.status();
    const auto& shape = (*list)->element_shape;
    if (!shape.has_rank()) return set_int(launch, 0, dtype, Shape::unknown);
    return set_ints(launch, 0, dtype, shape.sizes());
  }};
}

using Read = Status (*)(Launch&, const ElementRows&, DType);

/// A kernel that is told the dtype of the list's elements.
KernelCatalog::Make with_dtype(const ElementRows& rows, Read read) {
  return [&rows, read](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("element_dtype");
    return Kernel{
        .compute = [&rows, read, dtype](Launch& launch) { return read(launch, rows, dtype); }};
  };
}

}  // namespace

void add_list_kernels(KernelCatalog& catalog, const ElementRows& rows) {
  catalog.add_compute("TensorListPushBack", push_back);
  catalog.add("TensorListPopBack", with_dtype(rows, pop_back));
  catalog.add("TensorListGetItem", with_dtype(rows, get_item));
  catalog.add("TensorListSetItem", make_set_item);
  catalog.add_compute("TensorListResize", resize);
  catalog.add_compute("TensorListLength", give_length);
  catalog.add("TensorListElementShape", make_element_shape);
  add_list_row_kernels(catalog, rows);
  add_list_batch_kernels(catalog, rows);
}

void add_tensor_list_kernels(KernelCatalog& catalog) { add_list_kernels(catalog, host_rows()); }

}  // namespace troupe::cpu
