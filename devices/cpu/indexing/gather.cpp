#include <algorithm>
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
Status check_indices(const Tensor& indices, int64_t size) {
  auto values = indices.values<I>();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || values[i] >= size)
      return invalid_argument(
          "index " + std::to_string(values[i]) + " (number " + std::to_string(i) +
          " of the indices) is not in [0, " + std::to_string(size) + ")");
  return {};
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
void gather_rows(C* to, const C* from, const I* chosen, const GatheredRows& rows) {
  auto [middle, inner] = std::pair(rows.split.middle, rows.split.inner);
  auto blocks = rows.batches * rows.between;
  parallel_ranges(blocks * rows.each, inner, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto block = i / rows.each;
      auto index = chosen[block / rows.between * rows.each + i % rows.each];
      copy_row(to + i * inner, 1, from + (block * middle + index) * inner, 1, inner);
    }
  });
}

template <class C, class I>
Status compute_gather(Launch& launch, int64_t given_axis, int64_t given_batch) {
  const auto &params = launch.input(0), &indices = launch.input(1);
  auto axis = find_axis(given_axis, params.shape().rank());
  if (!axis) return axis.status();
  auto batch = find_batch_rank(given_batch, params.shape(), indices.shape(), *axis);
  if (!batch) return batch.status();
  Split split(params.shape(), *axis);
  auto status = check_indices<I>(indices, split.middle);
  if (!status.ok()) return status;
  auto own = indices.shape().sizes().subspan(static_cast<size_t>(*batch));
  auto shape = replace_axis(params.shape(), *axis, own);
  if (!shape) return shape.status();
  auto out = launch.allocate(params.dtype(), *shape);
  if (!out) return out.status();
  if (out->elements() > 0) {
    auto batches = product(params.shape().sizes().first(static_cast<size_t>(*batch)));
    GatheredRows rows = {batches, split.outer / batches, product(own), split};
    gather_rows(mutable_cells<C>(*out), cells<C>(params), indices.data<I>(), rows);
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class C, class I>
Status compute_gather_v2(Launch& launch, int64_t batch_dims) {
  auto axis = IntInput::of(launch.input(2));
  if (!axis) return axis.status();
  if (axis->count() != 1) return invalid_argument("exactly one axis must be given");
  return compute_gather<C, I>(launch, (*axis)[0], batch_dims);
}

/// Makes a kernel by `make`, which gets an element of the params and one of the indices.
template <class F>
Result<Kernel> dispatch_gather(const Node& node, F make) {
  return dispatch_cells(node.attr<DType>("Tparams"), [&](auto cell) {
    auto is_long = node.attr<DType>("Tindices") == DType::int64;
    return Kernel{.compute = is_long ? make(cell, int64_t{}) : make(cell, int32_t{})};
  });
}

Result<Kernel> make_gather(const Node& node) {
  return dispatch_gather(node, [](auto cell, auto index) -> KernelCatalog::Compute {
    return [](Launch& launch) {
      return compute_gather<decltype(cell), decltype(index)>(launch, 0, 0);
    };
  });
}

Result<Kernel> make_gather_v2(const Node& node) {
  auto batch_dims = node.attr<int64_t>("batch_dims");
  return dispatch_gather(node, [=](auto cell, auto index) -> KernelCatalog::Compute {
    return [batch_dims](Launch& launch) {
      return compute_gather_v2<decltype(cell), decltype(index)>(launch, batch_dims);
    };
  });
}

template <class C, class I>
Status compute_one_hot(Launch& launch, int64_t given_axis) {
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
  auto* to = mutable_cells<C>(*out);
  std::fill_n(to, out->elements(), cells<C>(launch.input(3))[0]);
  Split split(*shape, *axis);
  const auto* index = indices.data<I>();
  for (int64_t i = 0; i < indices.elements(); ++i)
    if (index[i] >= I{} && static_cast<int64_t>(index[i]) < depth)
      to[(i / split.inner * depth + index[i]) * split.inner + i % split.inner] =
          cells<C>(launch.input(2))[0];
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_one_hot(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
    using C = decltype(cell);
    Kernel kernel;
    auto axis = node.attr<int64_t>("axis");
    visit(node.attr<DType>("TI"), [&](auto zero) {
      using I = decltype(zero);
      if constexpr (
          std::is_same_v<I, uint8_t> || std::is_same_v<I, int32_t> || std::is_same_v<I, int64_t>)
        kernel.compute = [axis](Launch& launch) { return compute_one_hot<C, I>(launch, axis); };
    });
    return kernel;
  });
}

}  // namespace

void add_gather_kernels(KernelCatalog& catalog) {
  catalog.add("Gather", make_gather);
  catalog.add("GatherV2", make_gather_v2);
  catalog.add("OneHot", make_one_hot);
}

}  // namespace troupe::cpu
