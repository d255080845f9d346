#include "troupe/devices/cpu/data/elements.hpp"

#include <algorithm>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/graph/proto/serialized.hpp"
#include "troupe/graph/types/variant.hpp"

namespace troupe::cpu {
namespace {

Result<Shape> batched_shape(int64_t rows, std::span<const int64_t> sizes) {
  std::vector<int64_t> all = {rows};
  all.insert(all.end(), sizes.begin(), sizes.end());
  return Shape::make(all);
}

Status different_shapes(size_t component, const Shape& first, size_t index, const Shape& shape) {
  return invalid_argument(
      "Cannot batch tensors with different shapes in component " + std::to_string(component) +
      ". First element had shape " + first.to_string() + " and element " + std::to_string(index) +
      " had shape " + shape.to_string() + ".");
}

/// As copy_elements(), also of variants.
void copy_variants_too(
    Tensor& to, int64_t to_begin, const Tensor& from, int64_t from_begin, int64_t count) {
  if (from.dtype() != DType::variant) return copy_elements(to, to_begin, from, from_begin, count);
  std::copy_n(from.data<Variant>() + from_begin, count, to.mutable_data<Variant>() + to_begin);
}

Result<Tensor> stack_component(
    const std::vector<data::Element>& elements, size_t component, Allocator& allocator) {
  const auto& first = elements[0][component];
  if (!can_be_rows(first.dtype())) return not_copied(first.dtype());
  auto shape = batched_shape(static_cast<int64_t>(elements.size()), first.shape().sizes());
  if (!shape) return shape.status();
  auto out = Tensor::allocate(first.dtype(), *shape, allocator);
  if (!out) return out;
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto& row = elements[i][component];
    if (row.shape() != first.shape())
      return different_shapes(component, first.shape(), i, row.shape());
    copy_variants_too(*out, static_cast<int64_t>(i) * first.elements(), row, 0, first.elements());
  }
  return out;
}

/// The sizes of a component that every element of the batch fits in.
Result<std::vector<int64_t>> padded_sizes(
    const std::vector<data::Element>& elements, size_t component,
    const std::vector<int64_t>& wanted) {
  auto sizes = wanted;
  for (const auto& element : elements) {
    const auto& shape = element[component].shape();
    if (static_cast<size_t>(shape.rank()) != sizes.size())
      return invalid_argument(
          "All elements in a batch must have the same rank as the padded shape for component" +
          std::to_string(component) + ": expected rank " + std::to_string(sizes.size()) +
          " but got element with rank " + std::to_string(shape.rank()));
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      auto size = shape[static_cast<int>(axis)];
      if (wanted[axis] < 0) sizes[axis] = std::max(sizes[axis], size);
      else if (size > wanted[axis])
        return Status(
            Code::data_loss, "Attempted to pad to a smaller size than the input element.");
    }
  }
  for (auto& size : sizes) size = std::max<int64_t>(size, 0);
  return sizes;
}

/// Copies a tensor into the corner of a block of those sizes that begins at element `at`.
void copy_into_corner(Tensor& out, int64_t at, std::span<const int64_t> sizes, const Tensor& from) {
  auto rank = static_cast<int>(sizes.size());
  if (from.elements() == 0) return;
  auto row = rank == 0 ? 1 : from.shape()[rank - 1];
  auto rows = from.elements() / row;
  std::vector<int64_t> index(static_cast<size_t>(rank), 0);
  for (int64_t i = 0; i < rows; ++i) {
    int64_t offset = 0;
    for (int axis = 0; axis < rank; ++axis)
      offset = offset * sizes[static_cast<size_t>(axis)] + index[static_cast<size_t>(axis)];
    copy_elements(out, at + offset, from, i * row, row);
    for (int axis = rank - 2; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < from.shape()[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
}

Result<Tensor> stack_padded_component(
    const std::vector<data::Element>& elements, size_t component, const Padding& padding,
    Allocator& allocator) {
  auto dtype = elements[0][component].dtype();
  if (is_opaque(dtype)) return not_copied(dtype);
  auto sizes = padded_sizes(elements, component, padding.sizes[component]);
  if (!sizes) return sizes.status();
  auto shape = batched_shape(static_cast<int64_t>(elements.size()), *sizes);
  if (!shape) return shape.status();
  auto out = Tensor::allocate(dtype, *shape, allocator);
  if (!out) return out;
  if (out->elements() > 0) fill_with(*out, padding.values[component]);
  auto each = out->elements() / static_cast<int64_t>(elements.size());
  for (size_t i = 0; i < elements.size(); ++i)
    copy_into_corner(*out, static_cast<int64_t>(i) * each, *sizes, elements[i][component]);
  return out;
}

/// The sizes of a row that every element of the batch fits in.
Result<std::vector<int64_t>> sparse_row_sizes(
    const std::vector<data::Element>& elements, const std::vector<int64_t>& wanted) {
  std::vector<int64_t> sizes;
  for (auto size : wanted) sizes.push_back(std::max<int64_t>(size, 0));
  auto row = [&wanted] { return Shape::make(wanted)->to_string(); };
  for (const auto& element : elements) {
    const auto& shape = element[0].shape();
    if (static_cast<size_t>(shape.rank()) != wanted.size())
      return invalid_argument(
          "Input element had shape (" + shape.to_string() +
          ") that is incompatible with the row shape (" + row() + ").");
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
      auto size = shape[static_cast<int>(axis)];
      if (wanted[axis] < 0) sizes[axis] = std::max(sizes[axis], size);
      else if (size > wanted[axis])
        return Status(
            Code::data_loss, "Input element had shape (" + shape.to_string() +
                                 ") that is larger than the row shape (" + row() + ").");
    }
  }
  return sizes;
}

/// Writes the indices of all elements of a row.
int64_t* write_indices(int64_t* to, int64_t row, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    *to++ = row;
    to = std::ranges::copy(index, to).out;
    for (auto axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < shape[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
  return to;
}

template <class Stack>
data::Pulled stack_all(const std::vector<data::Element>& elements, const Stack& stack_one) {
  data::Element batch;
  for (size_t component = 0; component < elements[0].size(); ++component) {
    auto stacked = stack_one(component);
    if (!stacked) return stacked.status();
    batch.push_back(*std::move(stacked));
  }
  return std::optional<data::Element>(std::move(batch));
}

}  // namespace

bool can_be_rows(DType dtype) { return !is_opaque(dtype) || dtype == DType::variant; }

Result<Tensor> slice_of(const Tensor& tensor, int64_t index, Allocator& allocator) {
  auto shape = Shape::make(tensor.shape().sizes().subspan(1));
  if (!shape) return shape.status();
  if (!can_be_rows(tensor.dtype())) return not_copied(tensor.dtype());
  if (tensor.dtype() == DType::variant) {
    auto slice = Tensor::allocate(tensor.dtype(), *shape, allocator);
    if (slice) copy_variants_too(*slice, 0, tensor, index * shape->elements(), shape->elements());
    return slice;
  }
  return part_of(tensor, index * shape->elements(), *shape, allocator);
}

data::Pulled stack(const std::vector<data::Element>& elements, Allocator& allocator) {
  return stack_all(
      elements, [&](size_t component) { return stack_component(elements, component, allocator); });
}

data::Pulled stack_padded(
    const std::vector<data::Element>& elements, const Padding& padding, Allocator& allocator) {
  return stack_all(elements, [&](size_t component) {
    return stack_padded_component(elements, component, padding, allocator);
  });
}

data::Pulled stack_sparse(
    const std::vector<data::Element>& elements, const std::vector<int64_t>& row_sizes,
    Allocator& allocator) {
  auto sizes = sparse_row_sizes(elements, row_sizes);
  if (!sizes) return sizes.status();
  auto dtype = elements[0][0].dtype();
  if (is_opaque(dtype)) return not_copied(dtype);
  int64_t count = 0;
  for (const auto& element : elements) count += element[0].elements();
  auto indices = Tensor::allocate(DType::int64, {count, std::ssize(*sizes) + 1}, allocator);
  if (!indices) return indices.status();
  auto values = Tensor::allocate(dtype, {count}, allocator);
  if (!values) return values.status();
  auto* next_index = indices->mutable_data<int64_t>();
  int64_t at = 0;
  for (int64_t row = 0; row < std::ssize(elements); ++row) {
    const auto& value = elements[static_cast<size_t>(row)][0];
    next_index = write_indices(next_index, row, value.shape());
    copy_elements(*values, at, value, 0, value.elements());
    at += value.elements();
  }
  sizes->insert(sizes->begin(), std::ssize(elements));
  std::vector<std::string> parts;
  for (const auto& part : {*indices, *values, Tensor::of<int64_t>({std::ssize(*sizes)}, *sizes)}) {
    auto bytes = serialize_tensor(part, StringsIn::content);
    if (!bytes) return bytes.status();
    parts.push_back(*std::move(bytes));
  }
  return std::optional<data::Element>(data::Element{Tensor::of<std::string>({3}, parts)});
}

}  // namespace troupe::cpu
