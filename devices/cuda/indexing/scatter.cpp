#include "troupe/devices/cuda/indexing/scatter.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/named_slices.hpp"

namespace troupe::cuda {
namespace {

/// How the slices of a tensor are changed; without a function, they are replaced.
struct ScatterOp {
  LaunchScatter fold = nullptr;

  static Result<ScatterOp> of(std::optional<ScatterRule> rule, DType dtype) {
    if (!is_plain(dtype)) return no_kernel(dtype);
    if (!rule) return ScatterOp();
    ScatterOp op{find_scatter(element_of(dtype), *rule)};
    return op.fold ? op : Result<ScatterOp>(no_kernel(dtype));
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
    if (fold) {
      fold(call);
      return launched("a scatter");
    }
    Tensor last;
    if (slices.count > 1) {
      auto found = numbers_of_last(launch, slices);
      if (!found) return found.status();
      last = *std::move(found);
      call.last = static_cast<int32_t*>(last.mutable_raw());
    }
    launch_scatter_update(call, static_cast<int>(size_of(to.dtype())));
    return launched("a scatter");
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

Status compute_segments(Launch& launch, const ScatterOp& op, uint64_t if_empty) {
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
  if (result->elements() > 0)
    launch_fill(
        result->mutable_raw(), if_empty, static_cast<int>(size_of(data.dtype())),
        result->elements(), stream_of(launch));
  auto status = launched("a fill");
  if (status.ok()) status = op.apply(launch, *result, slices, ids, data);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

/// The bits of a 1, of the least number and of the greatest one, in this order.
template <class T>
std::array<uint64_t, 3> bits_of_limits() {
  std::array<uint64_t, 3> bits{};
  const T numbers[] = {T(1), Eigen::NumTraits<T>::lowest(), Eigen::NumTraits<T>::highest()};
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&bits[i], &numbers[i], sizeof(T));
  return bits;
}

/// The bits of what a segment without rows is.
uint64_t bits_if_empty(ScatterRule rule, DType dtype) {
  if (rule == ScatterRule::add) return 0;
  std::array<uint64_t, 3> bits{};
  switch (dtype) {
    case DType::float32: bits = bits_of_limits<float>(); break;
    case DType::float64: bits = bits_of_limits<double>(); break;
    case DType::float16: bits = bits_of_limits<float16>(); break;
    case DType::bfloat16: bits = bits_of_limits<bfloat16>(); break;
    case DType::int32: bits = bits_of_limits<int32_t>(); break;
    case DType::int64: bits = bits_of_limits<int64_t>(); break;
    default: CHECK(false);
  }
  return bits[rule == ScatterRule::multiply ? 0 : rule == ScatterRule::maximum ? 1 : 2];
}

KernelCatalog::Make segments(ScatterRule rule) {
  return [rule](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto op = ScatterOp::of(rule, dtype);
    if (!op) return op.status();
    return Kernel{.compute = [op = *op, if_empty = bits_if_empty(rule, dtype)](Launch& launch) {
      return compute_segments(launch, op, if_empty);
    }};
  };
}

/// The slices of a variable that are named, whose updates have that shape.
Result<FoundSlices> find_rows(const Shape& shape, const Shape& indices) {
  if (shape.is_scalar()) return invalid_argument("the variable is a scalar, which has no rows");
  FoundSlices found{
      .slices = {.count = indices.elements(), .size = 1, .depth = 1, .sizes = {shape[0]}},
      .shape = {}};
  std::vector<int64_t> sizes(indices.sizes().begin(), indices.sizes().end());
  for (int i = 1; i < shape.rank(); ++i) {
    sizes.push_back(shape[i]);
    found.slices.size *= shape[i];
  }
  auto all = Shape::make(sizes);
  if (!all) return all.status();
  found.shape = *all;
  return found;
}

/// Of a variable, whose rows single indices name, or vectors of them parts.
Status compute_resource_scatter(Launch& launch, const ScatterOp& op, bool names_parts) {
  return cpu::update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    const auto &indices = launch.input(1), &updates = launch.input(2);
    if (updates.dtype() != value.dtype())
      return invalid_argument(
          std::string("the variable is ") + to_string(value.dtype()) + ", but the updates are " +
          to_string(updates.dtype()));
    auto found = names_parts ? find_named_slices(value.shape(), indices.shape())
                             : find_rows(value.shape(), indices.shape());
    if (!found) return found.status();
    auto is_one_for_all = updates.shape().is_scalar() && !names_parts;
    if (!is_one_for_all)
      if (auto status = check_updates(found->shape, updates); !status.ok()) return status;
    auto updated = cpu::allocate_update(launch, value);
    if (!updated) return updated.status();
    auto status = copy_all(launch, *updated, value);
    if (status.ok())
      status = op.apply(launch, *updated, found->slices, indices, updates, is_one_for_all);
    if (status.ok()) value = *std::move(updated);
    return status;
  });
}

Status compute_rows(Launch& launch, const ScatterOp& op) {
  return compute_resource_scatter(launch, op, /*names_parts=*/false);
}
Status compute_parts(Launch& launch, const ScatterOp& op) {
  return compute_resource_scatter(launch, op, /*names_parts=*/true);
}

KernelCatalog::Make scatter(
    Status (*compute)(Launch&, const ScatterOp&), std::optional<ScatterRule> rule,
    const char* dtype_attr = "T") {
  return [=](const Node& node) -> Result<Kernel> {
    auto op = ScatterOp::of(rule, node.attr<DType>(dtype_attr));
    if (!op) return op.status();
    return Kernel{.compute = [compute, op = *op](Launch& launch) { return compute(launch, op); }};
  };
}

}  // namespace

void add_scatter_kernels(KernelCatalog& catalog) {
  using enum ScatterRule;
  catalog.add("UnsortedSegmentSum", segments(add));
  catalog.add("UnsortedSegmentProd", segments(multiply));
  catalog.add("UnsortedSegmentMin", segments(minimum));
  catalog.add("UnsortedSegmentMax", segments(maximum));
  catalog.add("ScatterNd", scatter(compute_scatter_nd, add));
  catalog.add("ScatterNdNonAliasingAdd", scatter(compute_tensor_scatter, add));
  catalog.add("TensorScatterAdd", scatter(compute_tensor_scatter, add));
  catalog.add("TensorScatterSub", scatter(compute_tensor_scatter, subtract));
  catalog.add("TensorScatterUpdate", scatter(compute_tensor_scatter, std::nullopt));
  catalog.add("ResourceScatterAdd", scatter(compute_rows, add, "dtype"));
  catalog.add("ResourceScatterSub", scatter(compute_rows, subtract, "dtype"));
  catalog.add("ResourceScatterMul", scatter(compute_rows, multiply, "dtype"));
  catalog.add("ResourceScatterDiv", scatter(compute_rows, divide, "dtype"));
  catalog.add("ResourceScatterMin", scatter(compute_rows, minimum, "dtype"));
  catalog.add("ResourceScatterMax", scatter(compute_rows, maximum, "dtype"));
  catalog.add("ResourceScatterUpdate", scatter(compute_rows, std::nullopt, "dtype"));
  catalog.add("ResourceScatterNdAdd", scatter(compute_parts, add));
  catalog.add("ResourceScatterNdSub", scatter(compute_parts, subtract));
  catalog.add("ResourceScatterNdUpdate", scatter(compute_parts, std::nullopt));
}

}  // namespace troupe::cuda
