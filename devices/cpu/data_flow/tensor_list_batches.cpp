#include <functional>
#include <string>
#include <utility>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/data_flow/tensor_list.hpp"

namespace troupe::cpu {
namespace {

/// Sets output 0 to a tensor of lists in the shape of input 0, each of which `make` makes.
Status set_lists(
    Launch& launch, const std::function<Result<std::shared_ptr<TensorList>>(int64_t)>& make) {
  auto out = Tensor::allocate(DType::variant, launch.input(0).shape());
  if (!out) return out.status();
  for (int64_t i = 0; i < out->elements(); ++i) {
    auto list = make(i);
    if (!list) return list.status();
    out->mutable_data<Variant>()[i] = *std::move(list);
  }
  launch.set(0, *std::move(out));
  return {};
}

Result<std::shared_ptr<TensorList>> copy_at(const Tensor& lists, int64_t index) {
  auto list = list_at(lists, index);
  if (!list) return list.status();
  return std::make_shared<TensorList>(**list);
}

Status push_to_each(Launch& launch, const ElementRows& rows) {
  const auto& value = launch.input(1);
  if (auto status = check_row_indices(launch.input(0), value); !status.ok()) return status;
  auto elements = rows.rows(launch, value);
  if (!elements) return elements.status();
  return set_lists(launch, [&](int64_t i) {
    auto list = copy_at(launch.input(0), i);
    auto status = list ? push(**list, (*elements)[static_cast<size_t>(i)]) : list.status();
    return status.ok() ? list : status;
  });
}

/// Fails unless the lists can be one, of elements of a shape that both allow.
Status merge_into(TensorList& list, const TensorList& other) {
  if (auto status = check_dtype(list, other.dtype); !status.ok()) return status;
  auto shape = list.element_shape.merge(other.element_shape);
  if (shape) list.element_shape = *shape;
  return shape.status();
}

Status check_one_shape(const Launch& launch) {
  for (int i = 1; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != launch.input(0).shape())
      return invalid_argument(
          "tensors of lists must have one shape, but have " + launch.input(0).shape().to_string() +
          " and " + launch.input(i).shape().to_string());
  return {};
}

Status concat_lists(Launch& launch) {
  if (auto status = check_one_shape(launch); !status.ok()) return status;
  return set_lists(launch, [&](int64_t i) -> Result<std::shared_ptr<TensorList>> {
    auto list = copy_at(launch.input(0), i);
    auto other = list_at(launch.input(1), i);
    if (!list || !other) return list ? other.status() : list.status();
    if (auto status = merge_into(**list, **other); !status.ok()) return status;
    auto& elements = (*list)->elements;
    elements.insert(elements.end(), (*other)->elements.begin(), (*other)->elements.end());
    return list;
  });
}

}  // namespace

Result<std::shared_ptr<TensorList>> list_zeros_like(
    const Launch& launch, const ElementRows& rows, const TensorList& list) {
  auto zeros = std::make_shared<TensorList>(list);
  for (auto& element : zeros->elements) {
    if (!element.is_set()) continue;
    auto zero = rows.zeros(launch, element.dtype(), element.shape());
    if (!zero) return zero.status();
    element = *std::move(zero);
  }
  return zeros;
}

Status add_elements(
    const Launch& launch, const ElementRows& rows, TensorList& list, const TensorList& other) {
  if (auto status = merge_into(list, other); !status.ok()) return status;
  if (list.elements.size() != other.elements.size())
    return invalid_argument(
        "lists of " + std::to_string(list.elements.size()) + " and " +
        std::to_string(other.elements.size()) + " elements cannot be added");
  for (size_t i = 0; i < list.elements.size(); ++i) {
    auto& sum = list.elements[i];
    const auto& summand = other.elements[i];
    if (!summand.is_set()) continue;
    if (sum.is_set() && sum.shape() != summand.shape())
      return invalid_argument(
          "elements of the shapes " + sum.shape().to_string() + " and " +
          summand.shape().to_string() + " cannot be added");
    auto added = sum.is_set() ? rows.sum(launch, std::move(sum), summand) : Result<Tensor>(summand);
    if (!added) return added.status();
    sum = *std::move(added);
  }
  return {};
}

void add_list_batch_kernels(KernelCatalog& catalog, const ElementRows& rows) {
  catalog.add("TensorListPushBackBatch", [&rows](const Node& node) {
    return copying_kernel(node.attr<DType>("element_dtype"), [&rows](Launch& launch) {
      return push_to_each(launch, rows);
    });
  });
  catalog.add_compute("TensorListConcatLists", concat_lists);
}

}  // namespace troupe::cpu
