#include <functional>
#include <string>
#include <utility>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/data_flow/tensor_list.hpp"

namespace troupe::cpu {
namespace {

// -- making lists

Result<std::shared_ptr<TensorList>> new_list(const Launch& launch, DType dtype, int shape_input) {
  auto shape = element_shape_input(launch, shape_input);
  if (!shape) return shape.status();
  auto list = std::make_shared<TensorList>();
  list->dtype = dtype;
  list->element_shape = *shape;
  return list;
}

Status make_empty(Launch& launch, const ElementRows&, DType dtype) {
  auto most = count_input(launch, 1, /*least=*/-1);
  auto list = new_list(launch, dtype, 0);
  if (!most || !list) return most ? list.status() : most.status();
  (*list)->most = *most;
  set_list(launch, *std::move(list));
  return {};
}

Status reserve(Launch& launch, const ElementRows&, DType dtype) {
  auto count = count_input(launch, 1);
  auto list = new_list(launch, dtype, 0);
  if (!count || !list) return count ? list.status() : count.status();
  (*list)->elements.resize(static_cast<size_t>(*count));
  set_list(launch, *std::move(list));
  return {};
}

/// Puts the rows of a value into a list and sets output 0 to it.
Status set_with_rows(
    Launch& launch, const ElementRows& rows, std::shared_ptr<TensorList> list, const Tensor& value,
    const std::function<int64_t(int64_t)>& index_of_row) {
  for (int64_t row = 0; row < value.shape()[0]; ++row)
    if (auto index = index_of_row(row); index >= most_list_elements)
      return check_index(*list, index);
  auto elements = rows.rows(launch, value);
  if (!elements) return elements.status();
  int64_t row = 0;
  for (auto& element : *elements) {
    auto status = put_element(*list, index_of_row(row++), std::move(element));
    if (!status.ok()) return status;
  }
  set_list(launch, std::move(list));
  return {};
}

Status make_of_rows(Launch& launch, const ElementRows& rows, DType dtype) {
  const auto& value = launch.input(0);
  if (value.shape().is_scalar()) return invalid_argument("a scalar has no rows to make a list of");
  auto list = new_list(launch, dtype, 1);
  if (!list) return list.status();
  return set_with_rows(launch, rows, *std::move(list), value, [](int64_t row) { return row; });
}

/// The value and its rows' indices are that input and the one behind it.
Status scatter_into(
    Launch& launch, const ElementRows& rows, std::shared_ptr<TensorList> list, int input) {
  const auto &value = launch.input(input), &indices = launch.input(input + 1);
  if (auto status = check_row_indices(indices, value); !status.ok()) return status;
  const auto* at = indices.data<int32_t>();
  return set_with_rows(launch, rows, std::move(list), value, [at](int64_t row) { return at[row]; });
}

Status scatter(Launch& launch, const ElementRows& rows, DType dtype) {
  auto list = new_list(launch, dtype, 2);
  return list ? scatter_into(launch, rows, *std::move(list), 0) : list.status();
}

Status scatter_sized(Launch& launch, const ElementRows& rows, DType dtype) {
  auto count = count_input(launch, 3, /*least=*/-1);
  auto list = new_list(launch, dtype, 2);
  if (!count || !list) return count ? list.status() : count.status();
  if (*count >= 0) {
    (*list)->elements.resize(static_cast<size_t>(*count));
    for (auto index : launch.input(1).values<int32_t>())
      if (auto status = check_index(**list, index); !status.ok()) return status;
  }
  return scatter_into(launch, rows, *std::move(list), 0);
}

Status scatter_into_existing(Launch& launch, const ElementRows& rows, DType) {
  auto list = take_list(launch, 0);
  return list ? scatter_into(launch, rows, *std::move(list), 1) : list.status();
}

Status split(Launch& launch, const ElementRows& rows, DType dtype) {
  const auto &value = launch.input(0), &lengths = launch.input(2);
  if (auto status = check_lengths(lengths, value); !status.ok()) return status;
  auto list = new_list(launch, dtype, 1);
  if (!list) return list.status();
  auto shape = value.shape();
  int64_t begin = 0;
  for (auto length : lengths.values<int64_t>()) {
    shape.set(0, length);
    auto part = rows.part(launch, value, begin, shape);
    if (!part) return part.status();
    auto index = static_cast<int64_t>((*list)->elements.size());
    auto status = put_element(**list, index, *std::move(part));
    if (!status.ok()) return status;
    begin += shape.elements();
  }
  set_list(launch, *std::move(list));
  return {};
}

// -- joining elements

Result<Tensors> all_elements(
    const Launch& launch, const ElementRows& rows, const TensorList& list, const Shape& known) {
  Tensors values;
  for (int64_t i = 0; i < static_cast<int64_t>(list.elements.size()); ++i) {
    auto element = element_at(launch, rows, list, i, known);
    if (!element) return element.status();
    values.push_back(*std::move(element));
  }
  return values;
}

Status stack(Launch& launch, const ElementRows& rows, const TensorList& list, int64_t expected) {
  auto count = static_cast<int64_t>(list.elements.size());
  if (expected >= 0 && count != expected)
    return invalid_argument(
        "the list must have " + std::to_string(expected) + " elements, but has " +
        std::to_string(count));
  auto known = known_shape(launch, list, 1);
  if (!known) return known.status();
  auto values = all_elements(launch, rows, list, *known);
  return values ? set_stack(launch, rows, list.dtype, *values, *known) : values.status();
}

Status gather(Launch& launch, const ElementRows& rows, const TensorList& list, int64_t) {
  const auto& indices = launch.input(1);
  if (indices.shape().rank() != 1)
    return invalid_argument(
        "the indices must be a vector, but have the shape " + indices.shape().to_string());
  auto known = known_shape(launch, list, 2);
  if (!known) return known.status();
  Tensors values;
  for (auto index : indices.values<int32_t>()) {
    auto element = element_at(launch, rows, list, index, *known);
    if (!element) return element.status();
    values.push_back(*std::move(element));
  }
  return set_stack(launch, rows, list.dtype, values, *known);
}

Shape rest_of(const Shape& element) {
  return element.has_rank() && element.rank() > 0 ? row_of(element) : Shape::unknown_rank();
}

Status concat_known(
    Launch& launch, const ElementRows& rows, const TensorList& list, const Shape& given) {
  auto known = given.merge(list.element_shape);
  if (!known) return known.status();
  auto values = all_elements(launch, rows, list, *known);
  return values ? set_concatenation(launch, rows, list.dtype, *values, rest_of(*known))
                : values.status();
}

Status concat(Launch& launch, const ElementRows& rows, const TensorList& list, int64_t) {
  auto known = known_shape(launch, list, 1);
  if (!known) return known.status();
  const auto& lengths = launch.input(2);
  Tensors values;
  for (int64_t i = 0; i < static_cast<int64_t>(list.elements.size()); ++i) {
    auto shape = *known;
    if (shape.has_rank() && shape.rank() > 0 && i < lengths.elements())
      shape.set(0, lengths.data<int64_t>()[i]);
    auto element = element_at(launch, rows, list, i, shape);
    if (!element) return element.status();
    values.push_back(*std::move(element));
  }
  return set_concatenation(launch, rows, list.dtype, values, rest_of(*known));
}

// -- kernels

using MakeList = Status (*)(Launch&, const ElementRows&, DType);

/// A kernel that makes a list of elements of the node's dtype.
KernelCatalog::Make making(const ElementRows& rows, MakeList make) {
  return [&rows, make](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("element_dtype");
    return Kernel{
        .compute = [&rows, make, dtype](Launch& launch) { return make(launch, rows, dtype); }};
  };
}

/// The same where it copies elements.
KernelCatalog::Make copying(const ElementRows& rows, MakeList make) {
  return [&rows, make](const Node& node) {
    auto dtype = node.attr<DType>("element_dtype");
    return copying_kernel(
        dtype, [&rows, make, dtype](Launch& launch) { return make(launch, rows, dtype); });
  };
}

/// In proportion to all that the list holds: the input does not tell how much is copied.
int64_t joined_cost_ns(const Launch& launch) {
  auto list = list_input(launch, 0);
  int64_t bytes = 0;
  if (list)
    for (const auto& element : (*list)->elements)
      if (element.is_set()) bytes += static_cast<int64_t>(element.bytes());
  return bytes / 4;
}

template <class Join>
Result<Kernel> joining(const Node& node, Join join) {
  auto dtype = node.attr<DType>("element_dtype");
  auto compute = [join, dtype](Launch& launch) -> Status {
    auto list = list_input(launch, 0);
    if (!list) return list.status();
    auto status = check_dtype(**list, dtype);
    return status.ok() ? join(launch, **list) : status;
  };
  auto kernel = copying_kernel(dtype, std::move(compute));
  if (kernel) kernel->cost_ns = joined_cost_ns;
  return kernel;
}

KernelCatalog::Make make_joining(
    const ElementRows& rows,
    Status (*join)(Launch&, const ElementRows&, const TensorList&, int64_t expected)) {
  return [&rows, join](const Node& node) {
    auto expected = node.attrs.contains("num_elements") ? node.attr<int64_t>("num_elements") : -1;
    return joining(node, [&rows, join, expected](Launch& launch, const TensorList& list) {
      return join(launch, rows, list, expected);
    });
  };
}

KernelCatalog::Make make_concat(const ElementRows& rows) {
  return [&rows](const Node& node) {
    auto shape = node.attr<Shape>("element_shape");
    return joining(node, [&rows, shape](Launch& launch, const TensorList& list) {
      return concat_known(launch, rows, list, shape);
    });
  };
}

}  // namespace

void add_list_row_kernels(KernelCatalog& catalog, const ElementRows& rows) {
  catalog.add("EmptyTensorList", making(rows, make_empty));
  catalog.add("TensorListReserve", making(rows, reserve));
  catalog.add("TensorListFromTensor", copying(rows, make_of_rows));
  catalog.add("TensorListSplit", copying(rows, split));
  catalog.add("TensorListScatter", copying(rows, scatter));
  catalog.add("TensorListScatterV2", copying(rows, scatter_sized));
  catalog.add("TensorListScatterIntoExistingList", copying(rows, scatter_into_existing));
  catalog.add("TensorListStack", make_joining(rows, stack));
  catalog.add("TensorListGather", make_joining(rows, gather));
  catalog.add("TensorListConcat", make_concat(rows));
  catalog.add("TensorListConcatV2", make_joining(rows, concat));
}

}  // namespace troupe::cpu
