#include <algorithm>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

int64_t product(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (auto size : sizes) product *= size;
  return product;
}

/// Where an axis of size `middle` lies in a shape: `outer` sizes before it, `inner` after it.
struct Split {
  int64_t outer, middle, inner;

  Split(const Shape& shape, int axis)
      : outer(product(shape.sizes().first(static_cast<size_t>(axis)))),
        middle(shape[axis]),
        inner(product(shape.sizes().subspan(static_cast<size_t>(axis) + 1))) {}
};

/// The shape with one axis replaced by those of `others`.
Result<Shape> replace_axis(const Shape& shape, int axis, std::span<const int64_t> others) {
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  auto place = sizes.erase(sizes.begin() + axis);
  sizes.insert(place, others.begin(), others.end());
  return Shape::make(sizes);
}

template <class I>
Status check_indices(std::span<const I> indices, int64_t size) {
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= size)
      return invalid_argument(
          "index " + std::to_string(indices[i]) + " (number " + std::to_string(i) +
          " of the indices) is not in [0, " + std::to_string(size) + ")");
  return {};
}

Status check_indices(const Tensor& indices, int64_t size) {
  return indices.dtype() == DType::int64 ? check_indices(indices.values<int64_t>(), size)
                                         : check_indices(indices.values<int32_t>(), size);
}

/// The number of dimensions that params and indices have in common, from one that may be negative.
Result<int> find_batch_rank(int64_t given, const Shape& params, const Shape& indices, int axis) {
  auto batch = given < 0 ? given + indices.rank() : given;
  if (batch < 0 || batch > std::min(axis, indices.rank()))
    return invalid_argument(
        "attribute 'batch_dims' is " + std::to_string(given) + ", but the indices have the shape " +
        indices.to_string() + " and there are " + std::to_string(std::min(axis, indices.rank())) +
        " dimensions before the axis and in the indices");
  auto count = static_cast<size_t>(batch);
  if (std::ranges::equal(params.sizes().first(count), indices.sizes().first(count)))
    return static_cast<int>(batch);
  return invalid_argument(
      "params of shape " + params.to_string() + " and indices of shape " + indices.to_string() +
      " must agree in the first " + std::to_string(batch) + " dimensions");
}

/// How often and what a gather copies: for each of `batches`, of `between` blocks of rows, the
/// `each` rows that the indices of the batch name.
struct GatheredRows {
  int64_t batches, between, each;
  Split split;
};

template <class C, class I>
void gather_rows(void* to, const void* from, const void* indices, const GatheredRows& rows) {
  auto* out = static_cast<C*>(to);
  const auto* in = static_cast<const C*>(from);
  const auto* chosen = static_cast<const I*>(indices);
  auto [middle, inner] = std::pair(rows.split.middle, rows.split.inner);
  auto count = rows.batches * rows.between * rows.each;
  auto row_bytes = inner * int64_t(sizeof(C));
  auto streams = streams_rows<C>(inner, count * row_bytes);
  parallel_ranges(count, inner, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end;) {
      const auto block = i / rows.each, first = i % rows.each;
      const auto last = std::min(rows.each, first + end - i);
      const auto* of_block = chosen + block / rows.between * rows.each;
      const auto* whole = in + block * middle * inner;
      for (auto at = first; at < last; ++at, ++i) {
        const auto* row = whole + int64_t{of_block[at]} * inner;
        if (streams) vector::copy_past_caches(out + i * inner, row, row_bytes);
        else copy_row(out + i * inner, 1, row, 1, inner);
      }
    }
    if (streams) vector::finish_streams();
  });
}
using GatherRows = decltype(&gather_rows<std::string, int64_t>);

/// How rows are gathered, for elements and indices of those dtypes.
GatherRows find_gather_rows(DType dtype, DType indices) {
  return choose_cell(dtype, [&](auto cell) {
    using C = decltype(cell);
    return indices == DType::int64 ? gather_rows<C, int64_t> : gather_rows<C, int32_t>;
  });
}

Status compute_gather(Launch& launch, GatherRows gather, int64_t given_axis, int64_t given_batch) {
  const auto &params = launch.input(0), &indices = launch.input(1);
  auto axis = find_axis(given_axis, params.shape().rank());
  if (!axis) return axis.status();
  auto batch = find_batch_rank(given_batch, params.shape(), indices.shape(), *axis);
  if (!batch) return batch.status();
  Split split(params.shape(), *axis);
  auto status = check_indices(indices, split.middle);
  if (!status.ok()) return status;
  auto own = indices.shape().sizes().subspan(static_cast<size_t>(*batch));
  auto shape = replace_axis(params.shape(), *axis, own);
  if (!shape) return shape.status();
  auto out = launch.allocate(params.dtype(), *shape);
  if (!out) return out.status();
  if (out->elements() > 0) {
    auto batches = product(params.shape().sizes().first(static_cast<size_t>(*batch)));
    GatheredRows rows = {batches, split.outer / batches, product(own), split};
    gather(out->mutable_raw(), params.raw(), indices.raw(), rows);
  }
  launch.set(0, *std::move(out));
  return {};
}

Status compute_gather_v2(Launch& launch, GatherRows gather, int64_t batch_dims) {
  auto axis = scalar_input(launch.input(2), "the axis");
  if (!axis) return axis.status();
  return compute_gather(launch, gather, *axis, batch_dims);
}

Result<Kernel> make_gather(const Node& node) {
  auto dtype = node.attr<DType>("Tparams");
  auto gather = find_gather_rows(dtype, node.attr<DType>("Tindices"));
  return copying_kernel(
      dtype, [gather](Launch& launch) { return compute_gather(launch, gather, 0, 0); });
}

Result<Kernel> make_gather_v2(const Node& node) {
  auto dtype = node.attr<DType>("Tparams");
  auto gather = find_gather_rows(dtype, node.attr<DType>("Tindices"));
  return copying_kernel(
      dtype, [gather, batch_dims = node.attr<int64_t>("batch_dims")](Launch& launch) {
        return compute_gather_v2(launch, gather, batch_dims);
      });
}

/// Sets each element of the result to `on` where its place along the split's axis is the index,
/// else to `off`.
using FillOneHot =
    void (*)(void* out, const void* indices, const Split& split, const void* on, const void* off);

template <class C, class I>
void fill_one_hot(
    void* out, const void* indices, const Split& split, const void* on, const void* off) {
  const auto hot = *static_cast<const C*>(on), cold = *static_cast<const C*>(off);
  const auto* index = static_cast<const I*>(indices);
  auto* to = static_cast<C*>(out);
  const auto depth = split.middle, inner = split.inner;
  if (inner == 1) {
    parallel_ranges(split.outer, depth, [&](int64_t begin, int64_t end) {
      fill_cells(to + begin * depth, (end - begin) * depth, cold);
      for (auto i = begin; i < end; ++i) {
        const auto place = static_cast<int64_t>(index[i]);
        if (place >= 0 && place < depth) to[i * depth + place] = hot;
      }
    });
    return;
  }
  parallel_ranges(split.outer * inner, depth, [&](int64_t begin, int64_t end) {
    for (auto at = begin; at < end;) {
      const auto block = at / inner, first = at % inner;
      const auto last = std::min(inner, first + end - at);
      auto* rows = to + block * depth * inner;
      for (int64_t row = 0; row < depth; ++row)
        fill_cells(rows + row * inner + first, last - first, cold);
      for (auto i = first; i < last; ++i, ++at) {
        const auto place = static_cast<int64_t>(index[at]);
        if (place >= 0 && place < depth) rows[place * inner + i] = hot;
      }
    }
  });
}

FillOneHot find_fill_one_hot(DType dtype, DType indices) {
  return choose_cell(dtype, [&](auto cell) -> FillOneHot {
    using C = decltype(cell);
    if (indices == DType::uint8) return fill_one_hot<C, uint8_t>;
    return indices == DType::int64 ? fill_one_hot<C, int64_t> : fill_one_hot<C, int32_t>;
  });
}

Status compute_one_hot(Launch& launch, FillOneHot fill, int64_t given_axis) {
  const auto &indices = launch.input(0), &depths = launch.input(1);
  for (int i = 1; i <= 3; ++i)
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument("depth, on_value and off_value must be scalars");
  auto depth = int64_t{depths.value<int32_t>()};
  if (depth < 0) return invalid_argument("depth " + std::to_string(depth) + " is negative");
  auto axis = find_axis(given_axis, indices.shape().rank() + 1);
  if (!axis) return axis.status();
  std::vector<int64_t> sizes(indices.shape().sizes().begin(), indices.shape().sizes().end());
  sizes.insert(sizes.begin() + *axis, depth);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(launch.input(2).dtype(), *shape);
  if (!out) return out.status();
  if (out->elements() > 0)
    fill(
        out->mutable_raw(), indices.raw(), Split(*shape, *axis), launch.input(2).raw(),
        launch.input(3).raw());
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_one_hot(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto fill = find_fill_one_hot(dtype, node.attr<DType>("TI"));
  return copying_kernel(dtype, [fill, axis = node.attr<int64_t>("axis")](Launch& launch) {
    return compute_one_hot(launch, fill, axis);
  });
}

}  // namespace

void add_gather_kernels(KernelCatalog& catalog) {
  catalog.add("Gather", make_gather);
  catalog.add("GatherV2", make_gather_v2);
  catalog.add("OneHot", make_one_hot);
}

}  // namespace troupe::cpu
