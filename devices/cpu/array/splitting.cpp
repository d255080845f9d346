#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/coordinates.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

/// The axis that a scalar input names.
Result<int> split_axis(const Tensor& given, int rank) {
  if (!given.shape().is_scalar())
    return invalid_argument(
        "the axis must be a scalar, but has the shape " + given.shape().to_string());
  return find_axis(given.value<int32_t>(), rank);
}

/// Sets the outputs to the parts of an input, one after the other along an axis, of those sizes,
/// which make up the whole. `shape_of` gives the shape of a part by its size.
template <class ShapeOf>
Status set_parts(
    Launch& launch, int input, int axis, std::span<const int64_t> sizes, const ShapeOf& shape_of) {
  const auto& whole = launch.input(input);
  const auto& shape = whole.shape();
  int64_t outer = 1, inner = 1, begin = 0;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  auto whole_row = shape[axis] * inner;
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto row = sizes[i] * inner;
    LoopNest<2> nest;
    nest.add_axis(row, {1, 1});
    nest.add_axis(outer, {row, whole_row});
    auto out = part_of(whole, begin, nest, shape_of(sizes[i]), launch.device().allocator());
    if (!out) return out.status();
    begin += row;
    launch.set(static_cast<int>(i), *std::move(out));
  }
  return {};
}

Status set_parts(Launch& launch, int input, int axis, std::span<const int64_t> sizes) {
  auto shape = launch.input(input).shape();
  return set_parts(launch, input, axis, sizes, [&](int64_t size) {
    shape.set(axis, size);
    return shape;
  });
}

Status compute_split(Launch& launch, int64_t count) {
  const auto shape = launch.input(1).shape();
  auto axis = split_axis(launch.input(0), shape.rank());
  if (!axis) return axis.status();
  if (shape[*axis] % count != 0)
    return invalid_argument(
        "axis " + std::to_string(*axis) + " of " + shape.to_string() + " cannot be split into " +
        std::to_string(count) + " equal parts");
  std::vector<int64_t> sizes(static_cast<size_t>(count), shape[*axis] / count);
  return set_parts(launch, 1, *axis, sizes);
}

/// The sizes of the parts, with the one left open, -1, replaced by what the others leave.
Result<std::vector<int64_t>> part_sizes(const Tensor& given, int64_t count, int64_t whole) {
  if (given.shape() != Shape{count})
    return invalid_argument(
        "the sizes of the parts must have the shape [" + std::to_string(count) + "], but have " +
        given.shape().to_string());
  std::vector<int64_t> sizes;
  for_dtype(Indices{}, given.dtype(), [&](auto zero) {
    for (auto size : given.values<decltype(zero)>()) sizes.push_back(size);
  });
  int64_t known = 0;
  for (auto size : sizes) {
    if (size < -1 || size > whole)
      return invalid_argument(
          "a part cannot have the size " + std::to_string(size) + " of " + std::to_string(whole));
    known = std::min(known + std::max<int64_t>(size, 0), Shape::max_elements);
  }
  auto open_count = std::ranges::count(sizes, -1);
  if (open_count > 1) return invalid_argument("only one size of a part can be -1");
  if (open_count == 0 ? known != whole : known > whole)
    return invalid_argument(
        "parts of " + std::to_string(known) + " in all cannot be made of " + std::to_string(whole));
  std::ranges::replace(sizes, int64_t{-1}, whole - known);
  return sizes;
}

Status compute_split_v(Launch& launch, int64_t count) {
  const auto shape = launch.input(0).shape();
  auto axis = split_axis(launch.input(2), shape.rank());
  if (!axis) return axis.status();
  auto sizes = part_sizes(launch.input(1), count, shape[*axis]);
  if (!sizes) return sizes.status();
  return set_parts(launch, 0, *axis, *sizes);
}

Status compute_unpack(Launch& launch, int64_t given_axis, int64_t count) {
  const auto& shape = launch.input(0).shape();
  auto axis = find_axis(given_axis, shape.rank());
  if (!axis) return axis.status();
  if (shape[*axis] != count)
    return invalid_argument(
        "axis " + std::to_string(*axis) + " of " + shape.to_string() + " must have the size " +
        std::to_string(count));
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.erase(sizes.begin() + *axis);
  Shape without_axis(sizes);
  std::vector<int64_t> ones(static_cast<size_t>(count), 1);
  return set_parts(launch, 0, *axis, ones, [&](int64_t) { return without_axis; });
}

template <class I>
Status compute_unravel_index(Launch& launch) {
  const auto& indices = launch.input(0);
  auto dims = find_counted_dims(indices.shape(), launch.input(1));
  if (!dims) return dims.status();
  for (auto index : indices.values<I>())
    if (index < 0 || index >= dims->elements)
      return invalid_argument(
          "index " + std::to_string(index) + " is not in [0, " + std::to_string(dims->elements) +
          "), the elements of dims");
  auto out = launch.allocate(indices.dtype(), dims->coordinates);
  if (!out) return out.status();
  auto* to = out->template mutable_data<I>();
  auto count = indices.elements();
  std::vector<I> rest(indices.values<I>().begin(), indices.values<I>().end());
  for (auto axis = std::ssize(dims->sizes) - 1; axis >= 0; --axis) {
    auto dim = static_cast<I>(dims->sizes[static_cast<size_t>(axis)]);
    for (int64_t i = 0; i < count; ++i) {
      to[axis * count + i] = rest[static_cast<size_t>(i)] % dim;
      rest[static_cast<size_t>(i)] /= dim;
    }
  }
  launch.set(0, *std::move(out));
  return {};
}

Status compute_identity_n(Launch& launch) {
  for (int i = 0; i < launch.input_count(); ++i) launch.set(i, launch.take_input(i));
  return {};
}

Result<Kernel> make_shape_n(const Node& node) {
  return Kernel{.compute = [dtype = node.attr<DType>("out_type")](Launch& launch) {
    for (int i = 0; i < launch.input_count(); ++i) {
      auto status = set_ints(launch, i, dtype, launch.input(i).shape().sizes());
      if (!status.ok()) return status;
    }
    return Status();
  }};
}

}  // namespace

void add_splitting_kernels(KernelCatalog& catalog) {
  catalog.add("Split", [](const Node& node) {
    return copying_kernel(
        node.attr<DType>("T"), [count = node.attr<int64_t>("num_split")](Launch& launch) {
          return compute_split(launch, count);
        });
  });
  catalog.add("SplitV", [](const Node& node) {
    return copying_kernel(
        node.attr<DType>("T"), [count = node.attr<int64_t>("num_split")](Launch& launch) {
          return compute_split_v(launch, count);
        });
  });
  catalog.add("Unpack", [](const Node& node) {
    auto axis = node.attr<int64_t>("axis"), count = node.attr<int64_t>("num");
    return copying_kernel(node.attr<DType>("T"), [axis, count](Launch& launch) {
      return compute_unpack(launch, axis, count);
    });
  });
  catalog.add("UnravelIndex", [](const Node& node) {
    return dispatch(Indices{}, node.attr<DType>("Tidx"), [](auto zero) {
      return Kernel{.compute = compute_unravel_index<decltype(zero)>};
    });
  });
  catalog.add_compute("IdentityN", compute_identity_n);
  catalog.add("ShapeN", make_shape_n);
}

}  // namespace troupe::cpu
