#include <algorithm>
#include <cstring>
#include <string>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/state/row_indices.hpp"
#include "troupe/devices/cpu/state/state.hpp"
#include "troupe/devices/cpu/state/variable_read.hpp"

namespace troupe::cpu {
namespace {

std::span<const int64_t> axes_from(const Shape& shape, int begin) {
  return shape.sizes().subspan(static_cast<size_t>(begin));
}

Result<Shape> join(
    std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> c = {}) {
  std::vector<int64_t> sizes(a.begin(), a.end());
  sizes.insert(sizes.end(), b.begin(), b.end());
  sizes.insert(sizes.end(), c.begin(), c.end());
  return Shape::make(sizes);
}

/// Copies those rows of `value`, one after the other.
void copy_rows(const Tensor& value, const Rows& rows, Tensor& out) {
  auto count = static_cast<int64_t>(rows.chosen.size());
  parallel_ranges(count, std::max<int64_t>(rows.size, 1), [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto from = rows.chosen[static_cast<size_t>(i)] * rows.size, to = i * rows.size;
      if (value.dtype() == DType::string) {
        std::copy_n(
            value.data<std::string>() + from, rows.size, out.mutable_data<std::string>() + to);
        continue;
      }
      auto each = static_cast<int64_t>(size_of(value.dtype()));
      std::memcpy(
          static_cast<std::byte*>(out.mutable_raw()) + to * each,
          static_cast<const std::byte*>(value.raw()) + from * each,
          static_cast<size_t>(rows.size * each));
    }
  });
}

Status check_batches(const Shape& variable, const Shape& indices, int batch_dims) {
  if (variable.is_scalar()) return invalid_argument("the variable is a scalar, which has no rows");
  if (variable.rank() <= batch_dims || indices.rank() < batch_dims)
    return invalid_argument(
        "batch_dims " + std::to_string(batch_dims) + " is too many for a variable of shape " +
        variable.to_string() + " and indices of shape " + indices.to_string());
  for (int axis = 0; axis < batch_dims; ++axis)
    if (variable[axis] != indices[axis])
      return invalid_argument(
          "with batch_dims " + std::to_string(batch_dims) +
          " as many first sizes of the variable's "
          "shape " +
          variable.to_string() + " and of the indices' shape " + indices.to_string() +
          " must be the same");
  return {};
}

/// Row `i` of batch `b` is row b * size + i of all.
Result<Rows> choose_batched_rows(const Tensor& indices, const Shape& shape, int batch_dims) {
  auto rows = choose_rows(indices, Shape(axes_from(shape, batch_dims)));
  if (!rows || rows->chosen.empty()) return rows;
  auto each = Shape(axes_from(indices.shape(), batch_dims)).elements();
  for (size_t i = 0; i < rows->chosen.size(); ++i)
    rows->chosen[i] += static_cast<int64_t>(i) / each * shape[batch_dims];
  return rows;
}

Status gather_rows(Launch& launch, const Tensor& value, int64_t given_dims) {
  const auto& indices = launch.input(1);
  auto batch_dims = static_cast<int>(std::min<int64_t>(given_dims, Shape::max_rank));
  auto status = check_batches(value.shape(), indices.shape(), batch_dims);
  if (!status.ok()) return status;
  auto shape = join(
      value.shape().sizes().first(static_cast<size_t>(batch_dims)),
      axes_from(indices.shape(), batch_dims), axes_from(value.shape(), batch_dims + 1));
  if (!shape) return shape.status();
  auto rows = choose_batched_rows(indices, value.shape(), batch_dims);
  if (!rows) return rows.status();
  auto out = launch.allocate(value.dtype(), *shape);
  if (!out) return out.status();
  if (out->elements() > 0) copy_rows(value, *rows, *out);
  launch.set(0, *std::move(out));
  return {};
}

Status gather_parts(Launch& launch, const Tensor& value) {
  const auto& indices = launch.input(1);
  auto depth = depth_of(indices, value.shape());
  if (!depth) return depth.status();
  auto outer = indices.shape().sizes();
  auto shape = join(outer.first(outer.size() - 1), axes_from(value.shape(), *depth));
  if (!shape) return shape.status();
  auto out = launch.allocate(value.dtype(), *shape);  // first: the indices may lack elements
  if (!out) return out.status();
  auto rows = choose_parts(indices, value.shape());
  if (!rows) return rows.status();
  if (out->elements() > 0) copy_rows(value, *rows, *out);
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_gather_rows(const Node& node) {
  auto batch_dims = node.attr<int64_t>("batch_dims");
  return reading_kernel(
      node.attr<DType>("dtype"), [batch_dims](Launch& launch, const Tensor& value) {
        return gather_rows(launch, value, batch_dims);
      });
}

Result<Kernel> make_gather_parts(const Node& node) {
  return reading_kernel(node.attr<DType>("dtype"), gather_parts);
}

/// No need to wait for an update, which does not change the shape.
Result<Kernel> make_variable_shape(const Node& node) {
  return Kernel{.compute = [dtype = node.attr<DType>("out_type")](Launch& launch) -> Status {
    auto variable = variable_input(launch, 0);
    if (!variable) return variable.status();
    if (!(*variable)->has_value()) return no_value(launch, 0);
    auto shape = (*variable)->describe().shape;
    if ((*variable)->is_dropped()) return no_value(launch, 0);
    return set_ints(launch, 0, dtype, shape.sizes());
  }};
}

template <class T>
Status count_up(Launch& launch, int64_t limit) {
  return update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    auto status = check_fits(dtype_of<T>(), {}, value.dtype(), value.shape());
    if (!status.ok()) return status;
    auto count = std::as_const(value).template value<T>();
    if (count >= limit || count == std::numeric_limits<T>::max())
      return Status(Code::out_of_range, "Reached limit of " + std::to_string(limit));
    auto updated = allocate_update(launch, value);
    if (!updated) return updated.status();
    status = set_int(launch, 0, dtype_of<T>(), count);
    if (!status.ok()) return status;
    *updated->template mutable_data<T>() = static_cast<T>(count + 1);
    value = *std::move(updated);
    return {};
  });
}

Result<Kernel> make_count_up(const Node& node) {
  return dispatch(Indices{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [limit = node.attr<int64_t>("limit")](Launch& launch) {
      return count_up<decltype(zero)>(launch, limit);
    }};
  });
}

}  // namespace

void add_variable_parts_kernels(KernelCatalog& catalog) {
  catalog.add("ResourceGather", make_gather_rows);
  catalog.add("ResourceGatherNd", make_gather_parts);
  catalog.add("VariableShape", make_variable_shape);
  catalog.add("ResourceCountUpTo", make_count_up);
}

}  // namespace troupe::cpu
