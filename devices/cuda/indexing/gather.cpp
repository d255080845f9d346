#include "troupe/devices/cuda/indexing/gather.hpp"

#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/state/variable_read.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/named_slices.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

int64_t product_of(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (auto size : sizes) product *= size;
  return product;
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

/// Sets output 0 to what indices gather of `params`.
Status set_gathered(
    Launch& launch, const Tensor& params, const Tensor& indices, int64_t given_axis,
    int64_t given_batch) {
  auto axis = find_axis(given_axis, params.shape().rank());
  if (!axis) return axis.status();
  auto batch = find_batch_rank(given_batch, params.shape(), indices.shape(), *axis);
  if (!batch) return batch.status();
  auto own = indices.shape().sizes().subspan(static_cast<size_t>(*batch));
  auto all = params.shape().sizes();
  auto place = static_cast<size_t>(*axis), common = static_cast<size_t>(*batch);
  std::vector<int64_t> sizes(all.begin(), all.begin() + *axis);
  sizes.insert(sizes.end(), own.begin(), own.end());
  sizes.insert(sizes.end(), all.begin() + *axis + 1, all.end());
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto result = launch.allocate(params.dtype(), *shape);
  if (!result) return result.status();
  if (result->elements() > 0) {
    auto row_bytes =
        product_of(all.subspan(place + 1)) * static_cast<int64_t>(size_of(params.dtype()));
    auto size = cell_of_rows(row_bytes, *result, params);
    launch_gather(
        {.to = result->mutable_raw(),
         .from = params.raw(),
         .indices = indices.raw(),
         .has_long_indices = indices.dtype() == DType::int64,
         .rows =
             {.batches = product_of(all.first(common)),
              .between = product_of(all.subspan(common, place - common)),
              .each = product_of(own),
              .middle = all[place],
              .inner = row_bytes / size},
         .size = size,
         .stream = stream_of(launch)});
  }
  return set_launched(launch, 0, *std::move(result), "a gather");
}

Result<Kernel> make_gather(const Node& node) {
  return copying_kernel(node.attr<DType>("Tparams"), [](Launch& launch) {
    return set_gathered(launch, launch.input(0), launch.input(1), 0, 0);
  });
}

Result<Kernel> make_gather_v2(const Node& node) {
  auto compute = [batch = node.attr<int64_t>("batch_dims")](Launch& launch) -> Status {
    auto axis = cpu::scalar_input(launch.input(2), "the axis");
    if (!axis) return axis.status();
    return set_gathered(launch, launch.input(0), launch.input(1), *axis, batch);
  };
  return copying_kernel(node.attr<DType>("Tparams"), compute);
}

Result<Kernel> make_resource_gather(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  if (!is_plain(dtype)) return no_kernel(dtype);
  auto batch = node.attr<int64_t>("batch_dims");
  return cpu::reading_kernel(dtype, [batch](Launch& launch, const Tensor& value) {
    return set_gathered(launch, value, launch.input(1), batch, batch);
  });
}

Status set_slices(Launch& launch, const Tensor& params, const Tensor& indices) {
  auto found = find_named_slices(params.shape(), indices.shape());
  if (!found) return found.status();
  auto result = launch.allocate(params.dtype(), found->shape);
  if (!result) return result.status();
  if (result->elements() > 0) {
    auto bytes = found->slices.size * static_cast<int64_t>(size_of(params.dtype()));
    auto size = cell_of_rows(bytes, *result, params);
    found->slices.size = bytes / size;
    launch_gather_slices(
        {.to = result->mutable_raw(),
         .from = params.raw(),
         .indices = indices.raw(),
         .has_long_indices = indices.dtype() == DType::int64,
         .slices = found->slices,
         .size = size,
         .stream = stream_of(launch)});
  }
  return set_launched(launch, 0, *std::move(result), "a gather");
}

Result<Kernel> make_gather_nd(const Node& node) {
  return copying_kernel(node.attr<DType>("Tparams"), [](Launch& launch) {
    return set_slices(launch, launch.input(0), launch.input(1));
  });
}

Result<Kernel> make_resource_gather_nd(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  if (!is_plain(dtype)) return no_kernel(dtype);
  return cpu::reading_kernel(dtype, [](Launch& launch, const Tensor& value) {
    return set_slices(launch, value, launch.input(1));
  });
}

Status compute_one_hot(Launch& launch, int64_t given_axis) {
  const auto &indices = launch.input(0), &on = launch.input(2);
  for (int i = 1; i <= 3; ++i)
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument("depth, on_value and off_value must be scalars");
  auto depth = cpu::scalar_input(launch.input(1), "depth");
  if (!depth) return depth.status();
  if (*depth < 0) return invalid_argument("depth " + std::to_string(*depth) + " is negative");
  auto axis = find_axis(given_axis, indices.shape().rank() + 1);
  if (!axis) return axis.status();
  auto own = indices.shape().sizes();
  std::vector<int64_t> sizes(own.begin(), own.end());
  sizes.insert(sizes.begin() + *axis, *depth);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto result = launch.allocate(on.dtype(), *shape);
  if (!result) return result.status();
  if (result->elements() > 0)
    launch_one_hot(
        {.to = result->mutable_raw(),
         .indices = indices.raw(),
         .index_bytes = static_cast<int>(size_of(indices.dtype())),
         .on = on.raw(),
         .off = launch.input(3).raw(),
         .count = result->elements(),
         .depth = *depth,
         .inner = product_of(own.subspan(static_cast<size_t>(*axis))),
         .size = static_cast<int>(size_of(on.dtype())),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a one-hot encoding");
}

}  // namespace

void add_gather_kernels(KernelCatalog& catalog) {
  catalog.add("Gather", make_gather);
  catalog.add("GatherV2", make_gather_v2);
  catalog.add("ResourceGather", make_resource_gather);
  catalog.add("GatherNd", make_gather_nd);
  catalog.add("ResourceGatherNd", make_resource_gather_nd);
  catalog.add("OneHot", [](const Node& node) {
    auto compute = [axis = node.attr<int64_t>("axis")](Launch& launch) {
      return compute_one_hot(launch, axis);
    };
    return copying_kernel(node.attr<DType>("T"), compute);
  });
}

}  // namespace troupe::cuda
