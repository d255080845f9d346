#include <atomic>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/updates.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

/// Where the slices are that indices name in a tensor.
struct NamedSlices {
  int64_t count = 1;  // of the indices
  int64_t size = 1;   // of one slice
  int depth = 0;      // numbers in an index
  Shape whole;
  Shape shape;  // of all the slices together
};

Result<NamedSlices> find_slices(const Shape& whole, const Shape& indices) {
  if (indices.is_scalar())
    return invalid_argument("the indices must have at least one axis, that of their numbers");
  auto last = indices.rank() - 1;
  if (indices[last] > whole.rank())
    return invalid_argument(
        "indices of " + std::to_string(indices[last]) + " numbers do not fit the shape " +
        whole.to_string() + ", which has fewer axes");
  NamedSlices slices{.depth = static_cast<int>(indices[last]), .whole = whole, .shape = {}};
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < last; ++axis) sizes.push_back(indices[axis]);
  for (int axis = slices.depth; axis < whole.rank(); ++axis) sizes.push_back(whole[axis]);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  slices.shape = *shape;
  for (int axis = 0; axis < last; ++axis) slices.count *= indices[axis];
  for (int axis = slices.depth; axis < whole.rank(); ++axis) slices.size *= whole[axis];
  return slices;
}

/// The position of each index among the slices, or -1 for one that is out of range, of which the
/// first is kept. May be asked by many threads.
template <class I>
class SlicePositions {
 public:
  SlicePositions(const NamedSlices& slices, const Tensor& indices)
      : slices_(slices), indices_(indices.data<I>()) {}

  int64_t operator()(int64_t i) {
    int64_t position = 0;
    for (int d = 0; d < slices_.depth; ++d) {
      auto at = int64_t{indices_[i * slices_.depth + d]};
      if (at < 0 || at >= slices_.whole[d]) return refuse(i);
      position = position * slices_.whole[d] + at;
    }
    return position;
  }

  Status status() const {
    auto i = first_wrong_.load();
    if (i == none) return {};
    std::string numbers;
    for (int d = 0; d < slices_.depth; ++d)
      numbers += (d ? "," : "") + std::to_string(indices_[i * slices_.depth + d]);
    return invalid_argument(
        "index [" + numbers + "] (number " + std::to_string(i) +
        " of the indices) does not lie in the shape " + slices_.whole.to_string());
  }

 private:
  static constexpr int64_t none = std::numeric_limits<int64_t>::max();

  int64_t refuse(int64_t i) {
    auto known = first_wrong_.load();
    while (i < known && !first_wrong_.compare_exchange_weak(known, i)) {
    }
    return -1;
  }

  const NamedSlices& slices_;
  const I* indices_;
  std::atomic<int64_t> first_wrong_ = none;
};

template <class C, class I>
Status compute_gather_nd(Launch& launch) {
  const auto &params = launch.input(0), &indices = launch.input(1);
  auto slices = find_slices(params.shape(), indices.shape());
  if (!slices) return slices.status();
  auto out = launch.allocate(params.dtype(), slices->shape);
  if (!out) return out.status();
  const auto* from = cells<C>(params);
  auto* to = mutable_cells<C>(*out);
  auto size = slices->size;
  SlicePositions<I> positions(*slices, indices);
  if (size == 0)  // nothing to copy, but indices to check
    for (int64_t i = 0; i < slices->count; ++i) positions(i);
  parallel_pieces(slices->count, size, [&](int64_t i, int64_t first, int64_t last) {
    auto position = positions(i);
    if (position >= 0)
      copy_row(to + i * size + first, 1, from + position * size + first, 1, last - first);
  });
  if (auto status = positions.status(); !status.ok()) return status;
  launch.set(0, *std::move(out));
  return {};
}

/// Applies the updates to `to` in their order. Threads share the elements of the slices out, as two
/// indices may name one slice.
template <class Change, class C, class I>
Status apply_updates(C* to, const C* updates, const NamedSlices& slices, const Tensor& indices) {
  SlicePositions<I> positions(slices, indices);
  if (slices.size == 0)
    for (int64_t i = 0; i < slices.count; ++i) positions(i);
  constexpr int64_t block = 64;  // so that threads do not write to one cache line
  auto blocks = (slices.size + block - 1) / block;
  parallel_ranges(blocks, block * slices.count, [&](int64_t begin, int64_t end) {
    auto first = begin * block, last = std::min(end * block, slices.size);
    for (int64_t i = 0; i < slices.count && first < last; ++i) {
      auto position = positions(i);
      if (position < 0) continue;
      auto* row = to + position * slices.size;
      const auto* update = updates + i * slices.size;
      for (auto k = first; k < last; ++k) Change::apply(row[k], update[k]);
    }
  });
  return positions.status();
}

Status check_updates_shape(const NamedSlices& slices, const Tensor& updates) {
  if (updates.shape() == slices.shape) return {};
  return invalid_argument(
      "the updates must have the shape " + slices.shape.to_string() + ", but have " +
      updates.shape().to_string());
}

template <class C, class I>
Status compute_scatter_nd(Launch& launch) {
  const auto &indices = launch.input(0), &updates = launch.input(1);
  auto shape = shape_input(launch.input(2));
  if (!shape) return shape.status();
  auto slices = find_slices(*shape, indices.shape());
  if (!slices) return slices.status();
  if (auto status = check_updates_shape(*slices, updates); !status.ok()) return status;
  auto out = launch.allocate(updates.dtype(), *shape);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  fill_zeros(to, out->elements());
  auto status = apply_updates<AddToElement, C, I>(to, cells<C>(updates), *slices, indices);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

template <class Change, class C, class I>
Status compute_tensor_scatter(Launch& launch) {
  auto slices = find_slices(launch.input(0).shape(), launch.input(1).shape());
  if (!slices) return slices.status();
  if (auto status = check_updates_shape(*slices, launch.input(2)); !status.ok()) return status;
  auto out = launch.reuse_or_allocate({0}, launch.input(0).dtype(), slices->whole);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  const auto* from = cells<C>(launch.input(0));
  if (from != to)
    parallel_pieces(1, out->elements(), [&](int64_t, int64_t first, int64_t last) {
      copy_row(to + first, 1, from + first, 1, last - first);
    });
  auto status =
      apply_updates<Change, C, I>(to, cells<C>(launch.input(2)), *slices, launch.input(1));
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

/// A kernel that adds or subtracts, for each dtype of `types`.
template <class Change, class T>
Kernel tensor_scatter_kernel(const Node& node) {
  auto is_long = node.attr<DType>("Tindices") == DType::int64;
  return {
      .compute = is_long ? compute_tensor_scatter<Change, T, int64_t>
                         : compute_tensor_scatter<Change, T, int32_t>};
}

template <class Change, class TypeList>
KernelCatalog::Make make_tensor_scatter(TypeList types) {
  return [types](const Node& node) {
    return dispatch(types, node.attr<DType>("T"), [&](auto zero) {
      return tensor_scatter_kernel<Change, decltype(zero)>(node);
    });
  };
}

}  // namespace

void add_gather_nd_kernels(KernelCatalog& catalog) {
  catalog.add("GatherNd", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("Tparams"), [&](auto cell) {
      using C = decltype(cell);
      auto is_long = node.attr<DType>("Tindices") == DType::int64;
      return Kernel{
          .compute = is_long ? compute_gather_nd<C, int64_t> : compute_gather_nd<C, int32_t>};
    });
  });
  catalog.add("ScatterNd", [](const Node& node) {
    constexpr auto types = AllPlain{} + Types<std::string>{};
    return dispatch(types, node.attr<DType>("T"), [&](auto zero) {
      using T = decltype(zero);
      auto is_long = node.attr<DType>("Tindices") == DType::int64;
      return Kernel{
          .compute = is_long ? compute_scatter_nd<T, int64_t> : compute_scatter_nd<T, int32_t>};
    });
  });
  catalog.add("ScatterNdNonAliasingAdd", make_tensor_scatter<AddToElement>(AllPlain{}));
  catalog.add("TensorScatterAdd", make_tensor_scatter<AddToElement>(Numeric{}));
  catalog.add("TensorScatterSub", make_tensor_scatter<SubtractFromElement>(Numeric{}));
  catalog.add("TensorScatterUpdate", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return tensor_scatter_kernel<ReplaceElement, decltype(cell)>(node);
    });
  });
}

}  // namespace troupe::cpu
