#include "troupe/devices/cpu/indexing/ragged.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/ragged_rows.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cpu {
namespace {

/// How many numbers there are from start up to limit; nothing where they do not end.
template <class T>
std::optional<int64_t> range_size(T start, T limit, T delta) {
  if ((delta > 0 && limit < start) || (delta < 0 && limit > start)) return 0;
  if constexpr (is_number<T>) {
    auto size = [](__int128 from, __int128 to) { return to > from ? to - from : from - to; };
    auto step = size(0, delta);
    auto count = (size(start, limit) + step - 1) / step;
    return count > Shape::max_elements ? std::nullopt : std::optional<int64_t>(count);
  } else {
    auto count = std::ceil(std::abs((limit - start) / delta));
    return count <= T(Shape::max_elements) ? std::optional<int64_t>(count) : std::nullopt;
  }
}

Result<int64_t> range_rows(const Launch& launch) {
  int64_t rows = -1;
  for (int i : {0, 1, 2}) {
    const auto& shape = launch.input(i).shape();
    if (shape.rank() > 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must be a scalar or vector, but is " +
          shape.to_string());
    if (shape.is_scalar()) continue;
    if (rows >= 0 && shape[0] != rows)
      return invalid_argument(
          "starts, limits and deltas must have one length, but there are " + std::to_string(rows) +
          " and " + std::to_string(shape[0]));
    rows = shape[0];
  }
  return rows < 0 ? 1 : rows;
}

template <class T, class I>
Status compute_ragged_range(Launch& launch) {
  auto rows = range_rows(launch);
  if (!rows) return rows.status();
  auto splits = launch.allocate(dtype_of<I>(), {*rows + 1});
  if (!splits) return splits.status();
  auto at = [&](int input, int64_t row) {
    const auto& tensor = launch.input(input);
    return tensor.data<T>()[tensor.shape().is_scalar() ? 0 : row];
  };
  auto* ends = splits->template mutable_data<I>();
  int64_t total = ends[0] = 0;
  for (int64_t row = 0; row < *rows; ++row) {
    auto delta = at(2, row);
    if (delta == 0) return invalid_argument("a delta must not be 0");
    auto size = range_size(at(0, row), at(1, row), delta);
    total += size.value_or(0);
    if (!size || total > std::min<int64_t>(std::numeric_limits<I>::max(), Shape::max_elements))
      return invalid_argument("row " + std::to_string(row) + " would have too many numbers");
    ends[row + 1] = static_cast<I>(total);
  }
  auto values = launch.allocate(dtype_of<T>(), {total});
  if (!values) return values.status();
  auto* to = values->template mutable_data<T>();
  for (int64_t row = 0; row < *rows; ++row) {
    auto value = at(0, row);
    for (auto i = ends[row]; i < ends[row + 1]; ++i) {
      *to++ = value;
      value = static_cast<T>(wrap(value) + wrap(at(2, row)));
    }
  }
  launch.set(0, *std::move(splits));
  launch.set(1, *std::move(values));
  return {};
}

/// How many splits the result has in all, or more than any memory holds.
int64_t gathered_splits(
    const RaggedInput& ragged, const Shape& shape, const std::vector<int64_t>& indices) {
  __int128 total = 0;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis)
    total += Shape(shape.sizes().first(static_cast<size_t>(axis) + 1)).elements();
  for (auto index : indices) {
    auto begin = index, end = index + 1;
    for (const auto& splits : ragged.splits) {
      total += end - begin;
      begin = splits[begin];
      end = splits[end];
    }
  }
  return static_cast<int64_t>(std::min<__int128>(total, Shape::max_elements));
}

Status check_gathered(const std::vector<int64_t>& indices, int64_t limit) {
  for (auto index : indices)
    if (index < 0 || index >= limit)
      return invalid_argument(
          "index " + std::to_string(index) + " does not lie in [0, " + std::to_string(limit) + ")");
  return {};
}

Status set_gathered(
    Launch& launch, const RaggedSelection& rows, const Tensor& values, DType index) {
  for (size_t i = 0; i < rows.splits.size(); ++i)
    if (auto status = set_ints(launch, static_cast<int>(i), index, rows.splits[i]); !status.ok())
      return status;
  auto out = rows.values_of(launch, values);
  if (!out) return out.status();
  launch.set(static_cast<int>(rows.splits.size()), *std::move(out));
  return {};
}

Status compute_ragged_gather(Launch& launch, int ragged_rank, int result_rank) {
  auto ragged = RaggedInput::of(launch, ragged_rank);
  if (!ragged) return ragged.status();
  const auto& given = launch.input(ragged_rank + 1);
  const auto& shape = given.shape();
  if (shape.rank() - 1 + ragged_rank != result_rank)
    return invalid_argument(
        "indices of shape " + shape.to_string() + " do not give a ragged rank of " +
        std::to_string(result_rank));
  auto limit = std::ssize(ragged->splits[0]) - 1;
  auto indices = *to_ints(given);
  if (auto status = check_gathered(indices, limit); !status.ok()) return status;
  // Vectors are no memory of the device; a tensor of their size is, which fails where it must.
  auto room = launch.allocate(DType::int64, {gathered_splits(*ragged, shape, indices)});
  if (!room) return room.status();
  RaggedSelection rows{std::vector<std::vector<int64_t>>(static_cast<size_t>(result_rank), {0})};
  int64_t count = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    count *= shape[axis];
    for (int64_t i = 1; i <= count; ++i) rows.splits[axis].push_back(i * shape[axis + 1]);
  }
  for (auto index : indices) rows.append(*ragged, index, static_cast<size_t>(shape.rank()));
  return set_gathered(launch, rows, ragged->values, launch.input(0).dtype());
}

/// Writes the indices of what lies in rows [begin, end) of a level, and of all that is below.
struct RaggedIndices {
  const RaggedInput& ragged;
  Shape values;
  int64_t* to;
  std::vector<int64_t> index;

  void write(size_t level, int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) {
      index[level] = row - begin;
      if (level < ragged.splits.size())
        write(level + 1, ragged.splits[level][row], ragged.splits[level][row + 1]);
      else write_inner(level + 1, 1);
    }
  }

 private:
  void write_inner(size_t level, int axis) {
    if (axis == values.rank()) {
      to = std::copy(index.begin(), index.end(), to);
      return;
    }
    for (index[level] = 0; index[level] < values[axis]; ++index[level])
      write_inner(level + 1, axis + 1);
  }
};

Status compute_ragged_to_sparse(Launch& launch, int ragged_rank) {
  auto ragged = RaggedInput::of(launch, ragged_rank);
  if (!ragged) return ragged.status();
  const auto& values = ragged->values;
  if (auto status = ragged->check_whole(); !status.ok()) return status;
  auto rank = ragged_rank + values.shape().rank();
  auto indices = launch.allocate(DType::int64, {values.elements(), rank});
  if (!indices) return indices.status();
  auto rows = std::ssize(ragged->splits[0]) - 1;
  std::vector<int64_t> sizes = {rows};
  for (const auto& splits : ragged->splits) {
    sizes.push_back(0);
    for (size_t i = 1; i < splits.size(); ++i)
      sizes.back() = std::max(sizes.back(), splits[i] - splits[i - 1]);
  }
  for (int axis = 1; axis < values.shape().rank(); ++axis) sizes.push_back(values.shape()[axis]);
  RaggedIndices walk{
      *ragged, values.shape(), indices->mutable_data<int64_t>(),
      std::vector<int64_t>(static_cast<size_t>(rank))};
  if (values.elements() > 0) walk.write(0, 0, rows);
  launch.set(0, *std::move(indices));
  launch.set(1, values.reshaped({values.elements()}));
  return set_ints(launch, 2, DType::int64, sizes);
}

template <class I>
Result<Kernel> make_ragged_range(DType dtype) {
  return dispatch(Types<bfloat16, float, double, int32_t, int64_t>{}, dtype, [](auto zero) {
    return Kernel{.compute = compute_ragged_range<decltype(zero), I>};
  });
}

}  // namespace

Status check_row_splits(const Tensor& splits, int64_t size) {
  if (splits.shape().rank() != 1 || splits.elements() == 0)
    return invalid_argument(
        "splits must be vectors of at least one element, but some have shape " +
        splits.shape().to_string());
  auto numbers = *to_ints(splits);
  int64_t before = 0;
  for (auto split : numbers) {
    if (split < before || split > size)
      return invalid_argument(
          "a split must lie in [" + std::to_string(before) + ", " + std::to_string(size) +
          "], but is " + std::to_string(split));
    before = split;
  }
  return {};
}

void add_ragged_kernels(KernelCatalog& catalog) {
  catalog.add("RaggedRange", [](const Node& node) {
    auto dtype = node.attr<DType>("T");
    return node.attr<DType>("Tsplits") == DType::int32 ? make_ragged_range<int32_t>(dtype)
                                                       : make_ragged_range<int64_t>(dtype);
  });
  catalog.add("RaggedGather", [](const Node& node) {
    auto rank = static_cast<int>(node.attr<int64_t>("PARAMS_RAGGED_RANK"));
    auto result_rank = static_cast<int>(node.attr<int64_t>("OUTPUT_RAGGED_RANK"));
    return copying_kernel(node.attr<DType>("Tvalues"), [=](Launch& launch) {
      return compute_ragged_gather(launch, rank, result_rank);
    });
  });
  catalog.add("RaggedTensorToSparse", [](const Node& node) {
    return Kernel{
        .compute = [rank = static_cast<int>(node.attr<int64_t>("RAGGED_RANK"))](Launch& launch) {
          return compute_ragged_to_sparse(launch, rank);
        }};
  });
  add_ragged_to_tensor_kernels(catalog);
  add_ragged_variant_kernels(catalog);
}

}  // namespace troupe::cpu
