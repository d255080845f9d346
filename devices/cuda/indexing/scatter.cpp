#include "troupe/devices/cuda/indexing/scatter.hpp"

#include <limits>
#include <vector>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/named_slices.hpp"

namespace troupe::cuda {
namespace {

enum class Change : uint8_t { add, subtract, replace };

/// How the slices of a tensor are changed; a sum's function is null for a replacement.
struct ScatterOp {
  Change change;
  LaunchScatter sum = nullptr;

  static Result<ScatterOp> of(Change change, DType dtype) {
    if (!is_plain(dtype)) return no_kernel(dtype);
    ScatterOp op{change};
    if (change == Change::replace) return op;
    op.sum = find_scatter_sum(element_of(dtype), change == Change::subtract);
    if (!op.sum) return no_kernel(dtype);
    return op;
  }

  /// Changes slices of `to`.
  Status apply(
      const Launch& launch, Tensor& to, const NamedSlices& slices, const Tensor& indices,
      const Tensor& updates, bool is_one_for_all = false) const {
    if (slices.count * slices.size == 0) return {};
    ScatterCall call{
        .to = to.mutable_raw(),
        .updates = updates.raw(),
        .is_one_for_all = is_one_for_all,
        .indices = indices.raw(),
        .has_long_indices = indices.dtype() == DType::int64,
        .slices = slices,
        .stream = stream_of(launch)};
    if (sum) {
      sum(call);
      return launched("a scatter");
    }
    Tensor last;
    if (slices.count > 1) {
      auto found = make_last(launch, slices);
      if (!found) return found.status();
      last = *std::move(found);
      call.last = static_cast<int32_t*>(last.mutable_raw());
    }
    launch_scatter_update(call, static_cast<int>(size_of(to.dtype())));
    return launched("a scatter");
  }

 private:
  static Result<Tensor> make_last(const Launch& launch, const NamedSlices& slices) {
    if (slices.count > std::numeric_limits<int32_t>::max())
      return unimplemented("a card replaces at most 2,147,483,647 slices at once");
    int64_t all = 1;
    for (int d = 0; d < slices.depth; ++d) all *= slices.sizes[d];
    auto last = launch.allocate(DType::int32, {all});
    if (!last) return last;
    auto status = to_status(
        cudaMemsetAsync(last->mutable_raw(), 0xff, last->bytes(), stream_of(launch)), "a fill");
    return status.ok() ? last : Result<Tensor>(status);
  }
};

Status check_updates(const Shape& expected, const Tensor& updates) {
  if (updates.shape() == expected) return {};
  return invalid_argument(
      "the updates must have the shape " + expected.to_string() + ", but have " +
      updates.shape().to_string());
}

Status compute_scatter_nd(Launch& launch, const ScatterOp& op) {
  const auto &indices = launch.input(0), &updates = launch.input(1);
  auto shape = cpu::shape_input(launch.input(2));
  if (!shape) return shape.status();
  auto found = find_named_slices(*shape, indices.shape());
  if (!found) return found.status();
  if (auto status = check_updates(found->shape, updates); !status.ok()) return status;
  auto result = launch.allocate(updates.dtype(), *shape);
  if (!result) return result.status();
  auto status = set_zeros(launch, *result);
  if (status.ok()) status = op.apply(launch, *result, found->slices, indices, updates);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

Status compute_tensor_scatter(Launch& launch, const ScatterOp& op) {
  const auto &indices = launch.input(1), &updates = launch.input(2);
  const auto whole = launch.input(0).shape();
  auto found = find_named_slices(whole, indices.shape());
  if (!found) return found.status();
  if (auto status = check_updates(found->shape, updates); !status.ok()) return status;
  auto result = launch.reuse_or_allocate({0}, launch.input(0).dtype(), whole);
  if (!result) return result.status();
  auto status = copy_all(launch, *result, launch.input(0));
  if (status.ok()) status = op.apply(launch, *result, found->slices, indices, updates);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

Status compute_segment_sum(Launch& launch, const ScatterOp& op) {
  const auto &data = launch.input(0), &ids = launch.input(1);
  auto count = cpu::scalar_input(launch.input(2), "num_segments");
  if (!count) return count.status();
  if (*count < 0)
    return invalid_argument("the number of segments " + std::to_string(*count) + " is negative");
  auto rank = ids.shape().rank();
  auto is_prefix = rank <= data.shape().rank();
  for (int i = 0; is_prefix && i < rank; ++i) is_prefix = ids.shape()[i] == data.shape()[i];
  if (!is_prefix)
    return invalid_argument(
        "the shape of the data, " + data.shape().to_string() +
        ", must begin with that of "
        "segment_ids, " +
        ids.shape().to_string());
  std::vector<int64_t> sizes{*count};
  int64_t inner = 1;
  for (int i = rank; i < data.shape().rank(); ++i) {
    sizes.push_back(data.shape()[i]);
    inner *= data.shape()[i];
  }
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto result = launch.allocate(data.dtype(), *shape);
  if (!result) return result.status();
  NamedSlices slices{.count = ids.elements(), .size = inner, .depth = 1, .sizes = {*count}};
  auto status = set_zeros(launch, *result);
  if (status.ok()) status = op.apply(launch, *result, slices, ids, data);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

/// Of a variable, whose rows single indices name.
Status compute_resource_scatter(Launch& launch, const ScatterOp& op) {
  return cpu::update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    const auto &indices = launch.input(1), &updates = launch.input(2);
    auto shape = value.shape();
    if (updates.dtype() != value.dtype())
      return invalid_argument(
          std::string("the variable is ") + to_string(value.dtype()) + ", but the updates are " +
          to_string(updates.dtype()));
    if (shape.is_scalar()) return invalid_argument("the variable is a scalar, which has no rows");
    NamedSlices slices{.count = indices.elements(), .size = 1, .depth = 1, .sizes = {shape[0]}};
    std::vector<int64_t> sizes(indices.shape().sizes().begin(), indices.shape().sizes().end());
    for (int i = 1; i < shape.rank(); ++i) {
      sizes.push_back(shape[i]);
      slices.size *= shape[i];
    }
    auto is_one_for_all = updates.shape().is_scalar();
    if (!is_one_for_all) {
      auto expected = Shape::make(sizes);
      if (!expected) return expected.status();
      if (auto status = check_updates(*expected, updates); !status.ok()) return status;
    }
    auto updated = cpu::allocate_update(launch, value);
    if (!updated) return updated.status();
    auto status = copy_all(launch, *updated, value);
    if (status.ok()) status = op.apply(launch, *updated, slices, indices, updates, is_one_for_all);
    if (status.ok()) value = *std::move(updated);
    return status;
  });
}

KernelCatalog::Make scatter(
    Status (*compute)(Launch&, const ScatterOp&), Change change, const char* dtype_attr = "T") {
  return [=](const Node& node) -> Result<Kernel> {
    auto op = ScatterOp::of(change, node.attr<DType>(dtype_attr));
    if (!op) return op.status();
    return Kernel{.compute = [compute, op = *op](Launch& launch) { return compute(launch, op); }};
  };
}

}  // namespace

void add_scatter_kernels(KernelCatalog& catalog) {
  catalog.add("UnsortedSegmentSum", scatter(compute_segment_sum, Change::add));
  catalog.add("ScatterNd", scatter(compute_scatter_nd, Change::add));
  catalog.add("ScatterNdNonAliasingAdd", scatter(compute_tensor_scatter, Change::add));
  catalog.add("TensorScatterAdd", scatter(compute_tensor_scatter, Change::add));
  catalog.add("TensorScatterSub", scatter(compute_tensor_scatter, Change::subtract));
  catalog.add("TensorScatterUpdate", scatter(compute_tensor_scatter, Change::replace));
  catalog.add("ResourceScatterAdd", scatter(compute_resource_scatter, Change::add, "dtype"));
  catalog.add("ResourceScatterSub", scatter(compute_resource_scatter, Change::subtract, "dtype"));
  catalog.add("ResourceScatterUpdate", scatter(compute_resource_scatter, Change::replace, "dtype"));
}

}  // namespace troupe::cuda
