#include <algorithm>
#include <atomic>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
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
  // However many indices without numbers there are: they take no memory.
  if (slices.depth == 0 && slices.size == 0) slices.count = 0;
  return slices;
}

/// False where one is out of range, whose position is -1.
template <class I>
bool set_positions(int64_t* positions, const NamedSlices& slices, const I* indices) {
  auto depth = slices.depth;
  std::atomic<bool> are_valid = true;
  parallel_ranges(slices.count, depth + 1, [&, depth](int64_t begin, int64_t end) {
    int64_t least = 0;
    for (auto i = begin; i < end; ++i) {
      int64_t position = 0;
      for (int d = 0; d < depth && position >= 0; ++d) {
        auto at = int64_t{indices[i * depth + d]}, size = slices.whole[d];
        position = at >= 0 && at < size ? position * size + at : -1;
      }
      positions[i] = position;
      least = std::min(least, position);
    }
    if (least < 0) are_valid = false;
  });
  return are_valid;
}

/// The position of each index among the slices, as int64. Fails naming the first index that is out
/// of range.
Result<Tensor> find_positions(
    const Launch& launch, const NamedSlices& slices, const Tensor& indices) {
  auto out = launch.allocate(DType::int64, {slices.count});
  if (!out) return out;
  auto* positions = out->mutable_data<int64_t>();
  auto are_valid = false;
  for_dtype(Indices{}, indices.dtype(), [&](auto zero) {
    are_valid = set_positions(positions, slices, indices.data<decltype(zero)>());
  });
  if (are_valid) return out;
  auto wrong = std::find(positions, positions + slices.count, -1) - positions;
  std::string numbers;
  for (int d = 0; d < slices.depth; ++d) {
    auto at = wrong * slices.depth + d;
    numbers += (d ? "," : "") + std::to_string(
                                    indices.dtype() == DType::int64 ? indices.data<int64_t>()[at]
                                                                    : indices.data<int32_t>()[at]);
  }
  return invalid_argument(
      "index [" + numbers + "] (number " + std::to_string(wrong) +
      " of the indices) does not lie in the shape " + slices.whole.to_string());
}

Status compute_gather_nd(Launch& launch, GatherSlices gather) {
  const auto &params = launch.input(0), &indices = launch.input(1);
  auto slices = find_slices(params.shape(), indices.shape());
  if (!slices) return slices.status();
  auto positions = find_positions(launch, *slices, indices);
  if (!positions) return positions.status();
  auto out = launch.allocate(params.dtype(), slices->shape);
  if (!out) return out.status();
  gather(out->mutable_raw(), params.raw(), positions->data<int64_t>(), slices->count, slices->size);
  launch.set(0, *std::move(out));
  return {};
}

/// Applies the updates to `out` in their order. Threads share the elements of the slices out, as
/// two indices may name one slice.
Status apply_updates(
    const Launch& launch, UpdateSlices update, Tensor& out, const NamedSlices& slices,
    const Tensor& indices, const Tensor& updates) {
  auto positions = find_positions(launch, slices, indices);
  if (!positions) return positions.status();
  constexpr int64_t block = 64;  // so that threads do not write to one cache line
  auto blocks = (slices.size + block - 1) / block;
  parallel_ranges(blocks, block * slices.count, [&](int64_t begin, int64_t end) {
    update(
        out.mutable_raw(), updates.raw(), positions->values<int64_t>(), slices.size, begin * block,
        std::min(end * block, slices.size));
  });
  return {};
}

Status check_updates_shape(const NamedSlices& slices, const Tensor& updates) {
  if (updates.shape() == slices.shape) return {};
  return invalid_argument(
      "the updates must have the shape " + slices.shape.to_string() + ", but have " +
      updates.shape().to_string());
}

Status compute_scatter_nd(Launch& launch, UpdateSlices update) {
  const auto &indices = launch.input(0), &updates = launch.input(1);
  auto shape = shape_input(launch.input(2));
  if (!shape) return shape.status();
  auto slices = find_slices(*shape, indices.shape());
  if (!slices) return slices.status();
  if (auto status = check_updates_shape(*slices, updates); !status.ok()) return status;
  auto out = launch.allocate(updates.dtype(), *shape);
  if (!out) return out.status();
  set_zeros(*out);
  auto status = apply_updates(launch, update, *out, *slices, indices, updates);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

Status compute_tensor_scatter(Launch& launch, UpdateSlices update) {
  const auto &indices = launch.input(1), &updates = launch.input(2);
  auto slices = find_slices(launch.input(0).shape(), indices.shape());
  if (!slices) return slices.status();
  if (auto status = check_updates_shape(*slices, updates); !status.ok()) return status;
  auto out = launch.reuse_or_allocate({0}, launch.input(0).dtype(), slices->whole);
  if (!out) return out.status();
  copy_all(*out, launch.input(0));
  auto status = apply_updates(launch, update, *out, *slices, indices, updates);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

using ComputeUpdates = Status (*)(Launch&, UpdateSlices);

KernelCatalog::Make make_scatter(ComputeUpdates compute, Update update) {
  return [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto found = find_update(update, dtype);
    if (!found) return no_kernel(dtype);
    return Kernel{.compute = [=](Launch& launch) { return compute(launch, found); }};
  };
}

}  // namespace

void add_gather_nd_kernels(KernelCatalog& catalog) {
  catalog.add("GatherNd", [](const Node& node) {
    auto dtype = node.attr<DType>("Tparams");
    auto gather = find_gather(dtype);
    return copying_kernel(
        dtype, [gather](Launch& launch) { return compute_gather_nd(launch, gather); });
  });
  catalog.add("ScatterNd", make_scatter(compute_scatter_nd, Update::add));
  catalog.add("ScatterNdNonAliasingAdd", make_scatter(compute_tensor_scatter, Update::add));
  catalog.add("TensorScatterAdd", make_scatter(compute_tensor_scatter, Update::add));
  catalog.add("TensorScatterSub", make_scatter(compute_tensor_scatter, Update::subtract));
  catalog.add("TensorScatterUpdate", make_scatter(compute_tensor_scatter, Update::replace));
}

}  // namespace troupe::cpu
