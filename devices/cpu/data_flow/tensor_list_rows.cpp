#include <functional>
#include <string>
#include <utility>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/data_flow/tensor_list.hpp"
#include "troupe/devices/cpu/state/element_rows.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

Result<Tensor> row_at(const Launch& launch, const Tensor& value, int64_t row) {
  auto shape = row_of(value.shape());
  return part_of(value, row * shape.elements(), shape, launch.device().allocator());
}

// -- making lists

Result<std::shared_ptr<TensorList>> new_list(const Launch& launch, DType dtype, int shape_input) {
  auto shape = element_shape_input(launch, shape_input);
  if (!shape) return shape.status();
  auto list = std::make_shared<TensorList>();
  list->dtype = dtype;
  list->element_shape = *shape;
  return list;
}

Status make_empty(Launch& launch, DType dtype) {
  auto most = count_input(launch, 1, /*least=*/-1);
  auto list = new_list(launch, dtype, 0);
  if (!most || !list) return most ? list.status() : most.status();
  (*list)->most = *most;
  set_list(launch, *std::move(list));
  return {};
}

Status reserve(Launch& launch, DType dtype) {
  auto count = count_input(launch, 1);
  auto list = new_list(launch, dtype, 0);
  if (!count || !list) return count ? list.status() : count.status();
  (*list)->elements.resize(static_cast<size_t>(*count));
  set_list(launch, *std::move(list));
  return {};
}

/// Puts the rows of a value into a list and sets output 0 to it.
Status set_with_rows(
    Launch& launch, std::shared_ptr<TensorList> list, const Tensor& value,
    const std::function<int64_t(int64_t)>& index_of_row) {
  for (int64_t row = 0; row < value.shape()[0]; ++row) {
    auto index = index_of_row(row);
    if (index >= most_list_elements) return check_index(*list, index);
    auto element = row_at(launch, value, row);
    if (!element) return element.status();
    auto status = put_element(*list, index, *std::move(element));
    if (!status.ok()) return status;
  }
  set_list(launch, std::move(list));
  return {};
}

Status make_of_rows(Launch& launch, DType dtype) {
  const auto& value = launch.input(0);
  if (value.shape().is_scalar()) return invalid_argument("a scalar has no rows to make a list of");
  auto list = new_list(launch, dtype, 1);
  if (!list) return list.status();
  return set_with_rows(launch, *std::move(list), value, [](int64_t row) { return row; });
}

Status scatter_into(
    Launch& launch, std::shared_ptr<TensorList> list, const Tensor& value, const Tensor& indices) {
  if (auto status = check_row_indices(indices, value); !status.ok()) return status;
  const auto* at = indices.data<int32_t>();
  return set_with_rows(launch, std::move(list), value, [at](int64_t row) { return at[row]; });
}

Status scatter(Launch& launch, DType dtype) {
  auto list = new_list(launch, dtype, 2);
  return list ? scatter_into(launch, *std::move(list), launch.input(0), launch.input(1))
              : list.status();
}

Status scatter_sized(Launch& launch, DType dtype) {
  auto count = count_input(launch, 3, /*least=*/-1);
  auto list = new_list(launch, dtype, 2);
  if (!count || !list) return count ? list.status() : count.status();
  if (*count >= 0) {
    (*list)->elements.resize(static_cast<size_t>(*count));
    for (auto index : launch.input(1).values<int32_t>())
      if (auto status = check_index(**list, index); !status.ok()) return status;
  }
  return scatter_into(launch, *std::move(list), launch.input(0), launch.input(1));
}

Status scatter_into_existing(Launch& launch, DType) {
  auto list = take_list(launch, 0);
  return list ? scatter_into(launch, *std::move(list), launch.input(1), launch.input(2))
              : list.status();
}

Status split(Launch& launch, DType dtype) {
  const auto &value = launch.input(0), &lengths = launch.input(2);
  if (auto status = check_lengths(lengths, value); !status.ok()) return status;
  auto list = new_list(launch, dtype, 1);
  if (!list) return list.status();
  auto shape = value.shape();
  int64_t begin = 0;
  for (auto length : lengths.values<int64_t>()) {
    shape.set(0, length);
    auto part = part_of(value, begin, shape, launch.device().allocator());
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

Result<Tensors> all_elements(const Launch& launch, const TensorList& list, const Shape& known) {
  Tensors values;
  for (int64_t i = 0; i < static_cast<int64_t>(list.elements.size()); ++i) {
    auto element = element_at(launch, list, i, known);
    if (!element) return element.status();
    values.push_back(*std::move(element));
  }
  return values;
}

Status stack(Launch& launch, const TensorList& list, int64_t expected) {
  auto count = static_cast<int64_t>(list.elements.size());
  if (expected >= 0 && count != expected)
    return invalid_argument(
        "the list must have " + std::to_string(expected) + " elements, but has " +
        std::to_string(count));
  auto known = known_shape(launch, list, 1);
  if (!known) return known.status();
  auto values = all_elements(launch, list, *known);
  return values ? set_stack(launch, host_rows(), list.dtype, *values, *known) : values.status();
}

Status gather(Launch& launch, const TensorList& list, int64_t) {
  const auto& indices = launch.input(1);
  if (indices.shape().rank() != 1)
    return invalid_argument(
        "the indices must be a vector, but have the shape " + indices.shape().to_string());
  auto known = known_shape(launch, list, 2);
  if (!known) return known.status();
  Tensors values;
  for (auto index : indices.values<int32_t>()) {
    auto element = element_at(launch, list, index, *known);
    if (!element) return element.status();
    values.push_back(*std::move(element));
  }
  return set_stack(launch, host_rows(), list.dtype, values, *known);
}

Shape rest_of(const Shape& element) {
  return element.has_rank() && element.rank() > 0 ? row_of(element) : Shape::unknown_rank();
}

Status concat_known(Launch& launch, const TensorList& list, const Shape& given) {
  auto known = given.merge(list.element_shape);
  if (!known) return known.status();
  auto values = all_elements(launch, list, *known);
  return values ? set_concatenation(launch, host_rows(), list.dtype, *values, rest_of(*known))
                : values.status();
}

Status concat(Launch& launch, const TensorList& list, int64_t) {
  auto known = known_shape(launch, list, 1);
  if (!known) return known.status();
  const auto& lengths = launch.input(2);
  Tensors values;
  for (int64_t i = 0; i < static_cast<int64_t>(list.elements.size()); ++i) {
    auto shape = *known;
    if (shape.has_rank() && shape.rank() > 0 && i < lengths.elements())
      shape.set(0, lengths.data<int64_t>()[i]);
    auto element = element_at(launch, list, i, shape);
    if (!element) return element.status();
    values.push_back(*std::move(element));
  }
  return set_concatenation(launch, host_rows(), list.dtype, values, rest_of(*known));
}

// -- kernels

/// A kernel that makes a list of elements of the node's dtype.
template <Status (*make)(Launch&, DType)>
Result<Kernel> making(const Node& node) {
  auto dtype = node.attr<DType>("element_dtype");
  return Kernel{.compute = [dtype](Launch& launch) { return make(launch, dtype); }};
}

/// The same where it copies elements.
template <Status (*make)(Launch&, DType)>
Result<Kernel> copying(const Node& node) {
  auto dtype = node.attr<DType>("element_dtype");
  return copying_kernel(dtype, [dtype](Launch& launch) { return make(launch, dtype); });
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

template <Status (*join)(Launch&, const TensorList&, int64_t)>
Result<Kernel> make_joining(const Node& node) {
  auto expected = node.attrs.contains("num_elements") ? node.attr<int64_t>("num_elements") : -1;
  return joining(node, [expected](Launch& launch, const TensorList& list) {
    return join(launch, list, expected);
  });
}

Result<Kernel> make_concat(const Node& node) {
  return joining(
      node, [shape = node.attr<Shape>("element_shape")](Launch& launch, const TensorList& list) {
        return concat_known(launch, list, shape);
      });
}

}  // namespace

void add_tensor_list_row_kernels(KernelCatalog& catalog) {
  catalog.add("EmptyTensorList", making<make_empty>);
  catalog.add("TensorListReserve", making<reserve>);
  catalog.add("TensorListFromTensor", copying<make_of_rows>);
  catalog.add("TensorListSplit", copying<split>);
  catalog.add("TensorListScatter", copying<scatter>);
  catalog.add("TensorListScatterV2", copying<scatter_sized>);
  catalog.add("TensorListScatterIntoExistingList", copying<scatter_into_existing>);
  catalog.add("TensorListStack", make_joining<stack>);
  catalog.add("TensorListGather", make_joining<gather>);
  catalog.add("TensorListConcat", make_concat);
  catalog.add("TensorListConcatV2", make_joining<concat>);
}

}  // namespace troupe::cpu
